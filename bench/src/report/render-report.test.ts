import { format, renderReport } from './render-report.ts'

const samples = [
  ...[280, 310, 290].map((value, index) => ({ target: 'fleet', figure: 'chat-cpu-us', round: index + 1, value })),
  ...[140, 145, 145].map((value, index) => ({ target: 'two-hops', figure: 'chat-cpu-us', round: index + 1, value })),
  { target: 'fleet', figure: 'peak-memory-mb edge', round: 3, value: 260.4 },
]

const report = renderReport({
  date: '2026-01-31',
  machine: '2 × Some processor',
  node: '24.0.0',
  command: 'npm run bench',
  rounds: 3,
  targets: ['two-hops', 'fleet'],
  fleetProcesses: ['edge'],
  samples,
  notes: ['nginx was not there.'],
})

describe('renderReport', () => {
  const lineOf = (text: string) =>
    report
      .split('\n')
      .find((line) => line.includes(text))
      ?.replace(/ +/g, ' ')

  it('shows median, spread, budget and ratio, and a dash for a target that was not there', () => {
    expect(lineOf('CPU per request')).toBe(
      '| CPU per request, µs | ≤ 300 | ≤ 195 | 290 (280–310) ✓ | 145 (140–145) | – | – | 2.00× | – |',
    )
  })

  it('marks a figure over its budget', () => {
    expect(lineOf('peak memory of edge')).toContain('| 260 ✗ |')
  })

  it('leaves out what was not measured and says what a reader must know', () => {
    expect(report).not.toContain('first byte')
    expect(report).toContain('2 × Some processor, Node 24.0.0')
    expect(report).toContain('* nginx was not there.')
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
