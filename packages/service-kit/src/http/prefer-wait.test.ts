import { eventually } from '@ratchet/testing/eventually'
import express, { type Express } from 'express'
import request from 'supertest'
import {
  createWaiters,
  maxWaitSeconds,
  preferredWait,
  type Waiters,
  waitAsPreferred,
  waitersName,
} from './prefer-wait.ts'

let stop: AbortController
let waiters: Waiters
let reads = 0
let isDone = false
let fails = false

beforeEach(() => {
  stop = new AbortController()
  waiters = createWaiters({ stopping: stop.signal, maxWaiting: 3, maxOfOwner: 2 })
  reads = 0
  isDone = false
  fails = false
})

function app(): Express {
  const served = express()
  served.locals[waitersName] = waiters
  served.get('/', async (incoming, response) => {
    const read = async () => {
      reads += 1
      if (fails && reads > 1) throw new Error('the database does not answer')
      return { done: isDone }
    }
    response.json(await waitAsPreferred(incoming, { read, isOver: ({ done }) => done }))
  })
  return served
}

const ask = (prefer?: string) => {
  const asked = request(app()).get('/')
  return prefer === undefined ? asked : asked.set('Prefer', prefer)
}

/** Starts a request, which supertest does only when it is awaited. */
const begin = (prefer: string) => Promise.resolve(ask(prefer).then((answer) => answer))

it.each([
  ['wait=5', 5],
  ['respond-async, wait=10', 10],
  ['Wait = "7"; foo', 7],
  ['wait=3600', maxWaitSeconds],
  ['wait=0', null],
  ['wait=-1', null],
  ['wait=soon', null],
  ['handling=lenient', null],
  ['await=5', null],
  [undefined, null],
])('reads %j as %j seconds', (header, seconds) => {
  expect(preferredWait(header)).toBe(seconds)
})

it('answers at once without a preference', async () => {
  const { body, headers } = await ask()
  expect([body.done, reads, headers['preference-applied']]).toEqual([false, 1, undefined])
})

it('answers with the work as it was created, however fast it is done, unless the client waits for it', async () => {
  isDone = true
  const served = express()
  served.locals[waitersName] = waiters
  served.get('/', async (incoming, response) => {
    const work = { read: async () => ({ done: isDone }), isOver: ({ done }: { done: boolean }) => done }
    response.json(await waitAsPreferred(incoming, { ...work, created: { done: false } }))
  })
  expect((await request(served).get('/')).body).toEqual({ done: false })
  expect((await request(served).get('/').set('Prefer', 'wait=10')).body).toEqual({ done: true })
})

it('answers when the work is over', async () => {
  const waiting = begin('wait=60')
  await eventually(() => expect(reads).toBeGreaterThan(1))
  isDone = true
  const { body, headers } = await waiting
  expect([body.done, headers['preference-applied']]).toEqual([true, 'wait=60'])
})

it('answers with the work as it is after the seconds', async () => {
  const { status, body } = await ask('wait=1')
  expect([status, body.done]).toEqual([200, false])
  expect(reads).toBeGreaterThan(1)
})

it('shows the work as it was when it cannot be read again', async () => {
  fails = true
  expect(await ask('wait=1')).toMatchObject({ status: 200, body: { done: false } })
})

it('answers at once when the process stops', async () => {
  const waiting = begin('wait=60')
  await eventually(() => expect(reads).toBeGreaterThan(1))
  stop.abort()
  expect((await waiting).body.done).toBe(false)
  expect((await ask('wait=60')).body.done).toBe(false)
})

it('answers at once when too many wait, of one owner and of all', () => {
  const leave = [waiters.enter('a'), waiters.enter('a')]
  expect(waiters.enter('a')).toBeNull()
  expect(waiters.enter('b')).not.toBeNull()
  expect(waiters.enter('c')).toBeNull()
  for (const each of leave) each?.()
  expect(waiters.enter('c')).not.toBeNull()
})

it('forgets a client that leaves', async () => {
  waiters = createWaiters({ stopping: stop.signal, maxWaiting: 1 })
  const left = ask('wait=60')
  const broken = left.then(
    () => 'answered',
    () => 'left',
  )
  await eventually(() => expect(reads).toBeGreaterThan(1))
  left.abort()
  await broken
  await eventually(() => {
    const leave = waiters.enter('a')
    leave?.()
    expect(leave).not.toBeNull()
  })
})
