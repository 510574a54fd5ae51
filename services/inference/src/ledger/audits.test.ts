import type { AuditReport } from './audit-report.ts'
import { createAudits } from './audits.ts'

const report: AuditReport = {
  violations: [],
  openRequests: 0,
  oldestOpenSeconds: 0,
  overdueRequests: 0,
  heldNano: 0n,
  writtenOffNano: 0n,
}
const now = () => new Date(0)

it('audits once for all who want the first verdict, and then answers with the last one', async () => {
  let made = 0
  const onAudit = () => {
    made += 1
  }
  const audits = createAudits({ audit: async () => report, checked: 14, now, onAudit })
  expect(audits.last()).toBeNull()
  const [first, second] = await Promise.all([audits.lastOrNow(), audits.lastOrNow()])
  expect(first).toBe(second)
  expect(await audits.lastOrNow()).toBe(first)
  expect(made).toBe(1)
  expect(audits.last()).toMatchObject({ agree: true })
})

it('tries again after an audit that failed', async () => {
  let isBroken = true
  const audit = async () => {
    if (isBroken) throw new Error('no database')
    return { ...report, violations: [{ invariant: 'a', count: 1, example: 'b' }] }
  }
  const audits = createAudits({ audit, checked: 14, now, onAudit: () => undefined })
  await expect(audits.lastOrNow()).rejects.toThrow('no database')
  isBroken = false
  expect(await audits.lastOrNow()).toMatchObject({ agree: false })
})
