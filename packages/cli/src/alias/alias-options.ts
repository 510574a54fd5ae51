import { type AliasSettings, GateGuard, PutAlias } from '@ratchet/contracts/aliases'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { number, type Parser, text } from '../api/value-parsers.ts'

/** A flag that says one setting of an alias. */
interface Field {
  readonly option: Option
  readonly setting: Exclude<keyof AliasSettings, 'name' | 'gate_guard'>
}

interface GuardField {
  readonly option: Option
  readonly setting: keyof GateGuard
}

const settings = PutAlias.shape

export const fields: readonly Field[] = [
  field('--target <model>', 'what requests are answered by', 'target_model'),
  field('--description <text>', 'what it is for', 'description'),
  field('--canary <model>', 'answers a share of them instead', 'canary_model'),
  field('--percent <n>', 'the share of the canary; 100 is a cutover', 'canary_percent', number),
  field('--gate <criterion>', 'the judge that watches both arms', 'gate_criterion_id'),
  field('--gate-mode <mode>', '`recommend` tells, which a new gate does; `auto` acts', 'gate_mode'),
  field(
    '--min-samples <n>',
    'judged answers of each arm before anything is decided',
    'gate_min_samples_per_arm',
    number,
  ),
  field('--rollback-threshold <n>', 'largest drop of the pass rate, 0 to 1', 'gate_rollback_threshold', number),
  field('--window-hours <n>', 'how long a canary may take to be proven', 'gate_window_hours', number),
  field('--confidence <n>', 'of what is decided, such as 0.95', 'gate_confidence', number),
  field('--sticky-by <what>', '`request`, or `trace` for one arm a trace', 'sticky_by'),
  field('--shadow <model>', 'answers a share too and is never served', 'shadow_model'),
  field('--shadow-percent <n>', 'the share of the shadow', 'shadow_percent', number),
]

export const guardFields: readonly GuardField[] = [
  guardField('--max-error-rate-increase', 'how much larger its share of failures may be', 'max_error_rate_increase'),
  guardField('--max-latency-ratio', 'its p95 by that of the target', 'max_latency_ratio'),
  guardField('--max-cost-ratio', 'its average by that of the target', 'max_cost_ratio'),
]

/** A guard that watches nothing; Commander takes a bare null for a value that is missing. */
export const noLimit = 'none'

/** Adds a flag for every setting of an alias, those that clear some, and how they are sent. */
export function addAliasOptions(command: Command): void {
  for (const { option } of [...fields, ...guardFields]) command.addOption(option)
  command
    .option('--no-canary', 'without a canary')
    .option('--no-gate', 'without a gate')
    .option('--no-shadow', 'without a shadow')
    .option('--require-evidence', 'repoints must be proven, whatever the workspace says')
    .option('--no-require-evidence', 'repoints need no proof, whatever the workspace says')
    .option('--force', 'repoint without evidence, as an owner; needs --reason')
    .addOption(new Option('--reason <text>', 'kept in the audit').argParser(text(settings.reason)))
    .option('--replace', 'what is not said here has its default, instead of what it was')
    .addOption(new Option('--if-match <version>', 'change this version and no other').argParser(parseVersion))
}

type Kind = typeof text

function field(flags: string, description: string, setting: Field['setting'], kind: Kind = text): Field {
  return { option: new Option(flags, description).argParser(kind(settings[setting])), setting }
}

function guardField(name: string, description: string, setting: keyof GateGuard): GuardField {
  const parse = number(GateGuard.shape[setting])
  const parser: Parser = (value, previous) => (value === noLimit ? noLimit : parse(value, previous))
  return { option: new Option(`${name} <n>`, `${description}; or none`).argParser(parser), setting }
}

function parseVersion(value: string): number {
  if (/^[1-9]\d{0,8}$/.test(value)) return Number(value)
  throw new InvalidArgumentError('Expected a version such as `ratchet alias list` prints.')
}
