import type { LiveNotice } from '@ratchet/contracts/live-notice'
import type { LiveTopic } from '@ratchet/contracts/live-topic'
import { spaceNotices } from './space-notices.ts'

function spaced() {
  const sent: string[] = []
  let waiting: (() => void)[] = []
  const publish = async (workspaceId: string, { topic, version }: LiveNotice) =>
    void sent.push(`${workspaceId} ${topic} ${version}`)
  const notify = spaceNotices(publish, 1_000, (_ms, work) => waiting.push(work))
  const say = (workspaceId: string, topic: LiveTopic, version: number) =>
    notify(workspaceId, { topic, id: 'x', version })
  const passSecond = () => {
    const due = waiting
    waiting = []
    for (const work of due) work()
  }
  return { sent, say, passSecond }
}

it('publishes the first notice at once, and the last one of a busy second at its end', async () => {
  const { sent, say, passSecond } = spaced()
  for (const version of [1, 2, 3, 4]) await say('w1', 'logs', version)
  expect(sent).toEqual(['w1 logs 1'])
  passSecond()
  expect(sent).toEqual(['w1 logs 1', 'w1 logs 4'])
  // That one counts for the next second.
  await say('w1', 'logs', 5)
  expect(sent).toHaveLength(2)
  passSecond()
  passSecond()
  await say('w1', 'logs', 6)
  expect(sent.slice(2)).toEqual(['w1 logs 5', 'w1 logs 6'])
})

it('counts each topic and each workspace apart', async () => {
  const { sent, say } = spaced()
  await say('w1', 'logs', 1)
  await say('w2', 'logs', 2)
  await say('w1', 'trace:t1', 3)
  expect(sent).toEqual(['w1 logs 1', 'w2 logs 2', 'w1 trace:t1 3'])
})
