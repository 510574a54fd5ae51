import { mock } from 'node:test'
import type { Request } from 'express'
import { answerJsonOnce, type FirstAnswers } from './answer-once.ts'

afterEach(() => mock.timers.reset())

const request = { get: () => 'key-1' } as unknown as Request
const person = { workspaceId: 'w', userId: 'ann' }

function firstAnswers(more: Partial<FirstAnswers> = {}) {
  const calls: unknown[][] = []
  const called = (name: string, id: string) => void calls.push([name, id])
  const answers: FirstAnswers = {
    claim: async ({ id }) => {
      called('claim', id)
      return { kind: 'claimed', token: 't' }
    },
    renew: async ({ token }) => called('renew', token),
    keep: async ({ token }) => called('keep', token),
    release: async ({ token }) => called('release', token),
    ...more,
  }
  const names = () => calls.map(([name]) => name)
  const once = (make: () => Promise<unknown>, identity = person) =>
    answerJsonOnce(
      { firstAnswers: answers, now: () => new Date() },
      { request, identity, endpoint: '/e', body: {} },
      make,
    )
  return { calls, names, once }
}

it('frees the key when nothing was made', async () => {
  const { names, once } = firstAnswers()
  await expect(once(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(names()).toEqual(['claim', 'release'])
})

it('answers with what was made although it cannot be kept, and does not free the key', async () => {
  let attempts = 0
  const keep = () => {
    attempts += 1
    return Promise.reject(new Error('away'))
  }
  const { names, once } = firstAnswers({ keep })
  expect(await once(async () => 1)).toEqual({ answer: 1, headers: {} })
  expect([names(), attempts]).toEqual([['claim'], 2])
})

it('renews the claim while the request runs', async () => {
  mock.timers.enable({ apis: ['setInterval'] })
  const { names, once } = firstAnswers()
  const done = Promise.withResolvers<number>()
  const answer = once(() => done.promise)
  await new Promise((resolve) => setImmediate(resolve))
  mock.timers.tick(20 * 60_000)
  done.resolve(1)
  await answer
  mock.timers.tick(20 * 60_000)
  expect(names()).toEqual(['claim', 'renew', 'renew', 'renew', 'renew', 'keep'])
})

it('distinguishes equal keys of two people', async () => {
  const { calls, once } = firstAnswers()
  await once(async () => 1)
  await once(async () => 1, { ...person, userId: 'ben' })
  const ids = calls.flatMap(([name, id]) => (name === 'claim' ? [id] : []))
  expect(new Set(ids).size).toBe(2)
})
