import { createAbandonedCalls } from './abandoned-calls.ts'

const hourMs = 3_600_000

function call(workspaceId: string, stopped: string[] = []) {
  return { workspaceId, maxMs: hourMs, stop: () => stopped.push(workspaceId) }
}

it('limits the calls of a workspace and of the process', () => {
  const calls = createAbandonedCalls({ maxPerWorkspace: 2, maxPerProcess: 3 })
  const leaves = [calls.enter(call('a')), calls.enter(call('a'))]
  expect(calls.enter(call('a'))).toBeNull()
  leaves.push(calls.enter(call('b')))
  expect(calls.enter(call('c'))).toBeNull()
  leaves[0]?.()
  leaves[0]?.()
  expect(calls.size).toBe(2)
  leaves.push(calls.enter(call('a')))
  expect(calls.enter(call('a'))).toBeNull()
  for (const leave of leaves) leave?.()
  expect(calls.size).toBe(0)
})

it('knows whether a workspace has many itself', () => {
  const calls = createAbandonedCalls({ maxPerWorkspace: 16, maxPerProcess: 3 })
  for (const id of ['a', 'a', 'b', 'c']) calls.enter(call(id))
  expect(['a', 'b', 'c'].map((id) => calls.hasMany(id))).toEqual([true, false, false])
})

it('stops a call when its time is over', async () => {
  const calls = createAbandonedCalls()
  const stopped = Promise.withResolvers<void>()
  const leave = calls.enter({ workspaceId: 'a', maxMs: 1, stop: stopped.resolve })
  await stopped.promise
  leave?.()
  expect(calls.size).toBe(0)
})

it('stops all calls at the end of a drain, refuses later ones, and waits until they are charged', async () => {
  const calls = createAbandonedCalls()
  const stopped: string[] = []
  const leaves = [calls.enter(call('a', stopped)), calls.enter(call('b', stopped))]
  calls.expire()
  expect(stopped).toEqual(['a', 'b'])
  expect([calls.isExpired, calls.enter(call('c'))]).toEqual([true, null])
  let isCharged = false
  const charged = calls.charged().then(() => {
    isCharged = true
  })
  leaves[0]?.()
  await Promise.resolve()
  expect(isCharged).toBe(false)
  leaves[1]?.()
  await charged
  await calls.charged()
})
