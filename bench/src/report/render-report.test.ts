import { readFileSync } from 'node:fs'
import path from 'node:path'
import { repositoryRoot } from '@ratchet/infra/fleet/data-paths'
import { format, renderReport } from './render-report.ts'

const rounds = (target: string, figure: string, values: readonly number[]) =>
  values.map((value, index) => ({ target, figure, round: index + 1, value }))

const samples = [
  ...rounds('fleet', 'chat-cpu-us', [280, 310, 290]),
  ...rounds('portkey', 'chat-cpu-us', [400, 400, 500]),
  ...rounds('two-hops', 'chat-cpu-us', [80, 82, 84]),
  ...rounds('fleet', 'prompt64k-cpu-us', [3_000]),
  ...rounds('portkey', 'prompt64k-cpu-us', [1_000]),
  ...rounds('fleet', 'added-latency-p50-ms', [1.1]),
  ...rounds('fleet', 'idle-pss-mb', [1_100]),
]

const report = renderReport({
  date: '2026-01-31',
  machine: '2 × Some processor',
  node: '24.0.0',
  command: 'npm run bench',
  rounds: 3,
  targets: ['two-hops', 'portkey', 'fleet'],
  samples,
  notes: ['nginx was not there.'],
})

describe('renderReport', () => {
  const lineOf = (text: string) =>
    report
      .split('\n')
      .find((line) => line.includes(text))
      ?.replace(/ +/g, ' ')

  it('shows median and spread, judges the ratio to Portkey, and has a dash for a target that was not there', () => {
    expect(lineOf('CPU per request, µs')).toBe(
      '| CPU per request, µs | ≤ 0.75× | ≤ 0.55× | 290 (280–310) | 400 (400–500) | – | 82 (80–84) | – | – | 0.70× ✓ |',
    )
    expect(lineOf('64 KB of prose')).toContain('| 3.00× ✗ |')
  })

  it('judges the figure itself where the limit is one', () => {
    expect(lineOf('latency, p50')).toContain('| ≤ 1.20 | ≤ 0.80 | 1.10 ✓ |')
    expect(lineOf('when idle after the load')).toContain('| 1 100 ✗ |')
  })

  it('leaves out what was not measured and says what a reader must know', () => {
    expect(report).not.toContain('first byte')
    expect(report).toContain('2 × Some processor, Node 24.0.0')
    expect(report).toContain('* nginx was not there.')
  })
})

describe('the README', () => {
  it('shows the table of the last complete run', () => {
    const tableOf = (file: string) => {
      const lines = readFileSync(path.join(repositoryRoot, file), 'utf8').split('\n')
      const start = lines.findIndex((line) => line.startsWith('| figure '))
      return lines.slice(start, lines.indexOf('', start))
    }
    expect(tableOf('README.md')).toEqual(tableOf('bench/results/latest.md'))
  })
})

describe('format', () => {
  it.each([
    [0.1234, '0.12'],
    [12.34, '12.3'],
    [123.4, '123'],
    [2, '2'],
    [35_912.3, '35 912'],
    [-0.05, '-0.05'],
  ])('writes %p as %p', (value, text) => {
    expect(format(value)).toBe(text)
  })
})
