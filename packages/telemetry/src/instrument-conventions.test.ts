import {
  METRIC_GEN_AI_CLIENT_OPERATION_DURATION,
  METRIC_GEN_AI_CLIENT_OPERATION_TIME_TO_FIRST_CHUNK,
  METRIC_GEN_AI_CLIENT_TOKEN_USAGE,
  METRIC_HTTP_SERVER_REQUEST_DURATION,
} from '@opentelemetry/semantic-conventions/incubating'
import { Registry } from 'prom-client'
import { type Instrument, requireConventions, standardNames } from './instrument-conventions.ts'
import { LabelledHistogram } from './labelled-histogram.ts'
import { Counter, Gauge } from './metrics.ts'

const help = 'Things that were counted.'

it.each<Instrument>([
  { kind: 'counter', name: 'ratchet_things_total', help, labelNames: ['outcome'] },
  { kind: 'counter', name: 'ratchet_things_waited_seconds_total', help },
  { kind: 'gauge', name: 'ratchet_dependency_up', help, labelNames: ['dependency'] },
  { kind: 'gauge', name: 'ratchet_oldest_thing_age_seconds', help },
  { kind: 'histogram', name: 'ratchet_thing_bytes', help },
])('allows the $kind $name', (instrument) => {
  expect(() => requireConventions(instrument)).not.toThrow()
})

it.each<readonly [Instrument['kind'], string, string]>([
  ['counter', 'things_total', 'begins with ratchet_'],
  ['counter', 'ratchet_thingsRead_total', 'snake case'],
  ['counter', 'ratchet_things', 'a counter ends with _total'],
  ['gauge', 'ratchet_things_total', 'only a counter ends with _total'],
  ['gauge', 'ratchet_thing_count', 'Prometheus adds by itself'],
  ['gauge', 'ratchet_build_info', 'Prometheus adds by itself'],
  ['histogram', 'ratchet_wait_ms', 'base units'],
  ['gauge', 'ratchet_used_percent', 'base units'],
  ['counter', 'ratchet_charged_nano_total', 'base units'],
  ['gauge', 'ratchet_seconds_waited', 'the unit is the last word'],
  ['histogram', 'ratchet_answers', 'a histogram ends with its unit'],
  ['gauge', 'ratchet_audit_age', 'a duration ends with _seconds'],
  ['gauge', 'ratchet_dependency_away', 'docs/vocabulary.md'],
  ['counter', 'ratchet_gate_looks_total', 'docs/vocabulary.md'],
])('refuses the %s %s', (kind, name, rule) => {
  expect(() => requireConventions({ kind, name, help })).toThrow(rule)
})

it.each([
  ['le', 'label le is reserved'],
  ['service', 'label service is reserved'],
  ['instance', 'label instance is reserved'],
  ['keyOwner', 'not in snake case'],
  ['__queue', 'not in snake case'],
])('refuses the label %s', (label, rule) => {
  const instrument = { kind: 'counter', name: 'ratchet_things_total', help, labelNames: [label] } as const
  expect(() => requireConventions(instrument)).toThrow(rule)
})

it('refuses a help text that is not a sentence', () => {
  const instrument = { kind: 'counter', name: 'ratchet_things_total', help: 'things' } as const
  expect(() => requireConventions(instrument)).toThrow('help text')
})

it('is called for every instrument that is created', () => {
  const registers = [new Registry()]
  expect(() => new Counter({ name: 'things_total', help, registers })).toThrow('ratchet_')
  expect(() => new Gauge({ name: 'things', help, registers })).toThrow('ratchet_')
  const shape = { name: 'thing_seconds', help, labelNames: [], buckets: [1] }
  expect(() => new LabelledHistogram(new Registry(), shape)).toThrow('ratchet_')
})

it('exempts names that OpenTelemetry’s conventions define, and no other', () => {
  const written = (name: string, unit = '') => `${name.replaceAll('.', '_')}${unit}`
  expect([...standardNames]).toEqual([
    written(METRIC_HTTP_SERVER_REQUEST_DURATION, '_seconds'),
    written(METRIC_GEN_AI_CLIENT_OPERATION_DURATION, '_seconds'),
    written(METRIC_GEN_AI_CLIENT_OPERATION_TIME_TO_FIRST_CHUNK, '_seconds'),
    // Tokens are counted, so the name ends without a unit.
    written(METRIC_GEN_AI_CLIENT_TOKEN_USAGE),
  ])
})
