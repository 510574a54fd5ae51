import type { LiveNotice } from '@ratchet/contracts/live-notice'
import { createNotifyLog } from './notify-log.ts'

function notifier() {
  const notices: (readonly [string, LiveNotice])[] = []
  const due: (() => void)[] = []
  const pages = { open: 1 as number | null }
  const publish = async (workspaceId: string, notice: LiveNotice) => {
    notices.push([workspaceId, notice])
    return pages.open
  }
  const notify = createNotifyLog(
    publish,
    () => new Date(7),
    (_ms, work) => due.push(work),
  )
  return {
    notices,
    pages,
    notify: async (...traceIds: string[]) => {
      notify('w1', traceIds)
      await Promise.resolve()
    },
    /** Lets the time between two notices pass, and returns the topics that are published since the last time. */
    async topics() {
      for (const work of due.splice(0)) work()
      for (let turn = 0; turn < 5; turn += 1) await Promise.resolve()
      return notices.splice(0).map(([, { topic }]) => topic)
    },
  }
}

it('names the log and each trace once, but no trace whose id is no topic', async () => {
  const { notices, notify } = notifier()
  await notify('run-1', 'run-1', 'a b', '<script>', 'x'.repeat(101))
  expect(notices).toEqual([
    ['w1', { topic: 'logs', id: 'logs', version: 7 }],
    ['w1', { topic: 'trace:run-1', id: 'run-1', version: 7 }],
  ])
})

it('names no trace while no page is open, however many there are', async () => {
  const { pages, notify, topics } = notifier()
  pages.open = 0
  await notify('first')
  expect(await topics()).toEqual(['logs', 'trace:first'])
  for (let index = 0; index < 1_000; index += 1) await notify(`run-${index}`)
  // The first of them at once, and the last one when the time is over.
  expect(await topics()).toEqual(['logs', 'logs'])
  await notify('last')
  expect(await topics()).toEqual(['logs'])
})

it('names the traces that changed since then when somebody looks again, a hundred at most', async () => {
  const { pages, notify, topics } = notifier()
  pages.open = 0
  await notify()
  pages.open = 1
  for (let index = 0; index < 200; index += 1) await notify(`run-${index}`, 'run-0')
  const found = await topics()
  expect([found.slice(0, 2), found.length, new Set(found).size]).toEqual([['logs', 'logs'], 102, 101])
  await topics()
  await notify('now')
  expect(await topics()).toContain('trace:now')
})

it('names every trace while Redis does not answer', async () => {
  const { pages, notify, topics } = notifier()
  pages.open = null
  await notify('one')
  await topics()
  await notify('two')
  expect(await topics()).toContain('trace:two')
})
