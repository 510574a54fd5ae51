import type { AttemptEnd } from '../attempts/attempt.ts'
import type { AttemptId } from '../attempts/job-token.ts'
import { attemptName, attemptOfName, type StartedTrainer, type Trainer } from '../trainers/trainer.ts'
import { reconcileTrainers } from './reconcile-trainers.ts'

const attempt: AttemptId = { jobId: '019aa5f0-8a07-7000-8000-000000000001', generation: 2 }
const name = attemptName(attempt)

/** Reconciles one trainer, and says what happened. */
async function reconciled(started: StartedTrainer, isRunning: boolean) {
  const [stopped, forgotten, ended, events]: [string[], string[], [AttemptId, AttemptEnd][], string[]] = [
    [],
    [],
    [],
    [],
  ]
  const trainer: Trainer = {
    name: 'sim',
    slots: 1,
    endsWithWorker: true,
    start: async () => undefined,
    stop: async (each, how) => void stopped.push(`${each} ${how}`),
    list: async () => [started],
    forget: async (each) => void forgotten.push(each),
  }
  const attempts = {
    isRunning: async () => isRunning,
    keepWaiting: async () => {
      events.push('kept')
      return true
    },
    end: async (id: AttemptId, end: AttemptEnd) => {
      ended.push([id, end])
      return true
    },
  }
  await reconcileTrainers({ trainers: [trainer], attempts, leaseMs: 1_000, onEvent: ({ kind }) => events.push(kind) })
  return { stopped, forgotten, ended: ended.map(([id, { exit }]) => ({ id, exit })), events }
}

it('names attempts in a way that can be read again', () => {
  expect(attemptOfName(name)).toEqual(attempt)
  for (const other of ['', 'train-1-1', `${name}x`, name.replace('-2', '-0')]) expect(attemptOfName(other)).toBeNull()
})

it('leaves a trainer alone whose attempt runs', async () => {
  expect(await reconciled({ name, exitCode: null }, true)).toEqual({
    stopped: [],
    forgotten: [],
    ended: [],
    events: [],
  })
})

it('keeps the attempt of a trainer that waits for a place on a cluster', async () => {
  const { events } = await reconciled({ name, exitCode: null, isWaiting: true }, true)
  expect(events).toEqual(['kept'])
})

it.each([name, 'train-unknown'])('stops what runs without an attempt: %s', async (running) => {
  expect(await reconciled({ name: running, exitCode: null }, false)).toEqual({
    stopped: [`${running} now`],
    forgotten: [running],
    ended: [],
    events: ['orphan_stopped'],
  })
})

it.each([
  [75, 'stopped'],
  [1, 'lost'],
  [137, 'lost'],
  [0, 'lost'],
])('ends an attempt whose trainer exited with %i without a word', async (exitCode, exit) => {
  expect(await reconciled({ name, exitCode }, true)).toEqual({
    stopped: [],
    forgotten: [name],
    ended: [{ id: attempt, exit }],
    events: ['exited'],
  })
})

it('forgets a trainer that ended with its attempt', async () => {
  expect(await reconciled({ name, exitCode: 0 }, false)).toEqual({
    stopped: [],
    forgotten: [name],
    ended: [],
    events: [],
  })
})
