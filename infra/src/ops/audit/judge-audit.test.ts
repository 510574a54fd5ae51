import type { Severity } from './advisory.ts'
import { type Allowance, judgeAudit, readReport } from './judge-audit.ts'

const report = (severity: string) =>
  JSON.stringify({
    advisories: {
      1: { github_advisory_id: 'GHSA-a', module_name: 'left-pad', severity, title: 'It pads too much.' },
    },
    metadata: { vulnerabilities: {} },
  })
const advisory = (severity: Severity) => ({
  id: 'GHSA-a',
  name: 'left-pad',
  severity,
  title: 'It pads too much.',
})
const allowed = (more: Partial<Allowance> = {}): Allowance => ({
  advisory: 'GHSA-a',
  reason: 'Nothing is padded here.',
  until: '2027-01-31',
  ...more,
})
const today = '2026-11-22'

it.each<Severity>(['high', 'critical'])('fails for severity %s', (severity) => {
  const judged = judgeAudit([advisory(severity)], [], today)
  expect(judged).toEqual({ ok: false, lines: [`✗ ${severity} GHSA-a left-pad: It pads too much.`] })
})

it.each<Severity>(['info', 'low', 'moderate'])('reports severity %s without failing', (severity) => {
  const judged = judgeAudit([advisory(severity)], [], today)
  expect(judged).toEqual({ ok: true, lines: [`· ${severity} GHSA-a left-pad: It pads too much.`] })
})

it('accepts an allowed vulnerability until its date', () => {
  expect(judgeAudit([advisory('high')], [allowed()], today)).toMatchObject({ ok: true })
  expect(judgeAudit([advisory('high')], [allowed({ until: today })], today)).toMatchObject({ ok: true })
  expect(judgeAudit([advisory('high')], [allowed({ until: '2026-11-21' })], today)).toMatchObject({ ok: false })
  expect(judgeAudit([advisory('high')], [allowed({ advisory: 'GHSA-b' })], today)).toMatchObject({ ok: false })
})

it('fails for an allowance that is no longer needed', () => {
  expect(judgeAudit([], [allowed()], today)).toMatchObject({ ok: false })
  expect(judgeAudit([], [], today)).toEqual({ ok: true, lines: [] })
})

it('reads the report of the registry', () => {
  expect(readReport(report('high'))).toEqual([advisory('high')])
  expect(readReport('{"advisories":{}}')).toEqual([])
})

it.each(['', 'Error: ERR_PNPM_AUDIT_BAD_RESPONSE', '{}', '{"error":{"code":"E405"}}', report('unheard of')])(
  'reads no report in %j',
  (text) => {
    expect(readReport(text)).toBeNull()
  },
)
