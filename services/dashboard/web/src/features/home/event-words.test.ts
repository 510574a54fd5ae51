import { type WorkspaceEvent, workspaceEventKinds } from '@ratchet/contracts/dashboard/events'
import { eventWords } from './event-words.ts'

const event: WorkspaceEvent = {
  id: '00000000-0000-7000-8000-000000000001',
  at: '2026-11-20T10:00:00.000Z',
  kind: 'scan.done',
  name: 'support',
  judge_id: 'crit_1',
  requests: null,
}

it('leads to the page where one sees more', () => {
  const paths = workspaceEventKinds.map((kind) => eventWords({ ...event, kind }).path)
  expect(paths).toEqual([
    'aliases/support',
    'aliases/support',
    'aliases/support',
    'judges/crit_1/scans',
    'judges/crit_1/scans',
    'logs',
    'billing/usage',
  ])
})

it('opens the scan that it is about', () => {
  expect(eventWords(event).search).toEqual({ scan: 'scan_00000000000070008000000000000001' })
  expect(eventWords({ ...event, kind: 'alias.promote' }).search).toBeUndefined()
})

it('says on which day old prices were read', () => {
  const { text, path } = eventWords({ ...event, kind: 'catalog.stale', name: '2026-05-01' })
  expect([text, path]).toEqual([expect.stringContaining('2026-05-01'), 'billing/usage'])
})

it('counts requests that are missing', () => {
  expect(eventWords({ ...event, kind: 'log.lost', name: '2026-11-20', requests: 3 }).text).toContain('3 requests')
})
