import { createLiveStreams, type LivePage } from './live-streams.ts'

function scene() {
  const followed: string[] = []
  const state = { allowed: null as readonly string[] | null | Error, draining: false }
  const streams = createLiveStreams({
    source: {
      follow: (id) => followed.push(`+${id}`),
      unfollow: (id) => followed.push(`-${id}`),
    },
    async stillOpen(pages) {
      const { allowed } = state
      if (allowed instanceof Error) throw allowed
      return pages.filter(({ sessionId }) => allowed === null || allowed.includes(sessionId))
    },
    isDraining: () => state.draining,
  })
  const open = (sessionId: string, workspaceId = 'w1') => {
    const page = { sessionId, workspaceId, sent: [] as string[], isOver: false }
    const live: LivePage = {
      sessionId,
      workspaceId,
      write: (text) => page.sent.push(text),
      end: () => {
        page.isOver = true
      },
    }
    streams.open(live)
    page.sent.length = 0
    return page
  }
  return { streams, state, open, followed }
}

it('sends a topic at most once per second, and then its last message', async () => {
  const { streams, open } = scene()
  const page = open('s1')
  for (const version of [1, 2, 3]) streams.deliver('w1', { topic: 'logs', version })
  streams.deliver('w1', { topic: 'wallet' })
  expect(page.sent).toEqual([
    'event: change\ndata: {"topic":"logs","version":1}\n\n',
    'event: change\ndata: {"topic":"wallet"}\n\n',
  ])
  await streams.tick()
  expect(page.sent.slice(2)).toEqual(['event: change\ndata: {"topic":"logs","version":3}\n\n'])
  await streams.tick()
  expect(page.sent).toHaveLength(3)
})

it('writes a comment every 15 seconds', async () => {
  const { streams, open } = scene()
  const page = open('s1')
  for (let second = 0; second < 30; second++) await streams.tick()
  expect(page.sent).toEqual([': still here\n\n', ': still here\n\n'])
})

it('ends the pages of those who may not read any more', async () => {
  const { streams, state, open, followed } = scene()
  const [first, second] = [open('s1'), open('s2', 'w2')]
  state.allowed = ['s2']
  await streams.tick()
  expect([first.isOver, second.isOver]).toEqual([true, false])
  expect(followed).toEqual(['+w1', '+w2', '-w1'])
})

it('ends all pages when it is not known who may read, and when the process stops', async () => {
  const { streams, state, open } = scene()
  const unknown = open('s1')
  state.allowed = new Error('the database is away')
  await streams.tick()
  expect(unknown.isOver).toBe(true)
  state.allowed = null
  state.draining = true
  const late = open('s2')
  await streams.tick()
  expect(late.isOver).toBe(true)
})

it('ends the oldest page of a session that opens too many, and no page of others', async () => {
  const { streams, open, followed } = scene()
  const other = open('s2')
  const pages = Array.from({ length: 1_000 }, () => open('s1'))
  expect(pages.filter(({ isOver }) => !isOver)).toEqual(pages.slice(-16))
  expect(other.isOver).toBe(false)
  streams.deliver('w1', { topic: 'logs', version: 1 })
  expect([other, ...pages].filter(({ sent }) => sent.length > 0)).toHaveLength(17)
  expect(followed).toEqual(['+w1'])
})
