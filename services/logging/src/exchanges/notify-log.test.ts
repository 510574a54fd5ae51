import type { LiveNotice } from '@ratchet/contracts/live-notice'
import { createNotifyLog } from './notify-log.ts'

it('names the log and each trace once, but no trace whose id is no topic', () => {
  const notices: (readonly [string, LiveNotice])[] = []
  const notify = createNotifyLog(
    async (workspaceId, notice) => void notices.push([workspaceId, notice]),
    () => new Date(7),
  )
  notify('w1', ['run-1', 'run-1', 'a b', '<script>', 'x'.repeat(101)])
  expect(notices).toEqual([
    ['w1', { topic: 'logs', id: 'logs', version: 7 }],
    ['w1', { topic: 'trace:run-1', id: 'run-1', version: 7 }],
  ])
})
