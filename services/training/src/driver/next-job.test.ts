import fc from 'fast-check'
import { jobCostNano } from '../money/job-cost.ts'
import { after, attempt, dayMs, idle, now, running, settled, withAttempt } from './job-rows.fixture.ts'
import {
  type JobAttempt,
  type JobRow,
  type JobWorld,
  maxDataTries,
  maxLostAttempts,
  type NextStep,
  neededHoldNano,
  nextJobStep,
  pausedJobDays,
  stopGraceMs,
} from './next-job.ts'

const failure = { code: 'diverged', message: 'The loss is not a number.', retryable: false }
const endOf = (status: 'succeeded' | 'failed' | 'cancelled'): Partial<NextStep> => ({ kind: 'end', status })

const unavailable = { ...endOf('failed'), error: { code: 'service_unavailable' } }

describe('a job whose data is checked', () => {
  const validating: JobRow = { ...running, status: 'validating_files', isDataReady: false }

  it('reads its data', () => {
    expect(nextJobStep(validating, idle)).toEqual({ kind: 'read_data' })
  })

  it('fails after five readings that did not come to an end', () => {
    expect(nextJobStep({ ...validating, dataTries: maxDataTries - 1 }, idle)).toEqual({ kind: 'read_data' })
    expect(nextJobStep({ ...validating, dataTries: maxDataTries }, idle)).toMatchObject(unavailable)
  })

  it('is queued when its hold covers the cost', () => {
    expect(nextJobStep({ ...validating, isDataReady: true }, idle)).toEqual({ kind: 'queue' })
  })

  it('raises a hold that is too small', () => {
    const small = { ...validating, isDataReady: true, heldNano: 400_000_000n }
    expect(nextJobStep(small, idle)).toEqual({ kind: 'hold', amountNano: 1_000_000_000n })
    expect(nextJobStep({ ...small, maxCostNano: 400_000_000n }, idle)).toEqual({ kind: 'queue' })
  })
})

describe('a queued job', () => {
  const queued: JobRow = { ...running, status: 'queued' }

  it('starts when its trainer has a slot', () => {
    expect(nextJobStep(queued, idle)).toEqual({ kind: 'start_attempt' })
  })

  it('fails when no worker has had its trainer for a day', () => {
    const unoffered = { ...queued, unofferedSince: after(-dayMs) }
    const world = { ...idle, isOffered: false, hasSlot: false }
    expect(nextJobStep(unoffered, world)).toMatchObject(unavailable)
    expect(nextJobStep({ ...unoffered, unofferedSince: after(1 - dayMs) }, world)).toMatchObject({ kind: 'wait' })
    expect(nextJobStep(unoffered, { ...world, isOffered: true })).toMatchObject({ kind: 'wait' })
    expect(nextJobStep({ ...unoffered, status: 'running' }, world)).toMatchObject({ kind: 'settle', costNano: 0n })
  })

  it('waits for one', () => {
    expect(nextJobStep(queued, { ...idle, hasSlot: false })).toMatchObject({ kind: 'wait', waitingFor: 'gpu' })
  })
})

describe('a running job', () => {
  it.each<[string, JobRow, JobWorld, Partial<NextStep>]>([
    ['waits for its attempt', running, withAttempt({}), { kind: 'wait', waitingFor: null, until: after(30_000) }],
    [
      'does not raise its hold for an estimate',
      { ...running, heldNano: 1n },
      withAttempt({}),
      { kind: 'wait', until: after(30_000) },
    ],
    [
      'raises its hold to what its trainer has counted',
      { ...running, heldNano: 1n, tokensExact: true },
      withAttempt({}),
      { kind: 'hold', amountNano: 1_000_000_000n },
    ],
    [
      'charges a durable checkpoint',
      running,
      withAttempt({}, { durableTokens: 500_000n }),
      { kind: 'charge', costNano: 500_000_000n },
    ],
    [
      'charges a checkpoint once',
      { ...running, costNano: 500_000_000n },
      withAttempt({}, { durableTokens: 500_000n }),
      { kind: 'wait' },
    ],
    [
      'ends an attempt whose lease has ended',
      running,
      withAttempt({ leaseUntil: now }),
      { kind: 'end_attempt', exit: 'lost' },
    ],
    [
      'starts again after a lost attempt',
      { ...running, lostAttempts: 1 },
      withAttempt({ exit: 'lost' }),
      { kind: 'start_attempt' },
    ],
    [
      'waits for a slot after a lost attempt',
      running,
      withAttempt({ exit: 'lost' }, { hasSlot: false }),
      { kind: 'wait', waitingFor: 'gpu' },
    ],
    [
      'starts again when its machine was needed',
      { ...running, lostAttempts: 5 },
      withAttempt({ exit: 'stopped' }),
      { kind: 'start_attempt' },
    ],
    [
      'starts again after a failure that may pass',
      running,
      withAttempt({ exit: 'failed', failure: { ...failure, retryable: true } }),
      { kind: 'start_attempt' },
    ],
    ['starts when a worker died before', running, idle, { kind: 'start_attempt' }],
    ['ends after its last step', settled, withAttempt({ exit: 'succeeded' }), endOf('succeeded')],
    [
      'fails when the loss diverges',
      settled,
      withAttempt({ exit: 'failed', failure }),
      { ...endOf('failed'), error: { code: 'diverged', message: failure.message } },
    ],
    [
      'fails after too many lost attempts',
      { ...settled, lostAttempts: maxLostAttempts },
      withAttempt({ exit: 'lost' }),
      { ...endOf('failed'), error: expect.objectContaining({ code: 'trainer_lost' }) },
    ],
    [
      'tells its trainer to pause',
      { ...running, asked: 'pause' },
      withAttempt({}),
      { kind: 'command', command: 'pause' },
    ],
    [
      'tells its trainer to cancel after a pause',
      { ...running, asked: 'cancel' },
      withAttempt({ command: 'pause', commandSince: now }),
      { kind: 'command', command: 'cancel' },
    ],
    [
      'gives its trainer time to save',
      { ...running, asked: 'pause' },
      withAttempt({ command: 'pause', commandSince: now }),
      { kind: 'wait', until: after(30_000) },
    ],
    [
      'ends a trainer that does not stop',
      { ...running, asked: 'pause' },
      withAttempt({ command: 'pause', commandSince: after(-stopGraceMs) }),
      { kind: 'end_attempt', exit: 'stopped' },
    ],
    [
      'is paused when its trainer has stopped',
      { ...settled, asked: 'pause' },
      withAttempt({ exit: 'stopped' }),
      { kind: 'pause' },
    ],
    [
      'is paused when its trainer was lost',
      { ...settled, asked: 'pause', lostAttempts: maxLostAttempts },
      withAttempt({ exit: 'lost' }),
      { kind: 'pause' },
    ],
    [
      'is cancelled when its trainer has stopped',
      { ...settled, asked: 'cancel' },
      withAttempt({ exit: 'stopped' }),
      endOf('cancelled'),
    ],
    ['is cancelled before it has started', { ...settled, asked: 'cancel' }, idle, endOf('cancelled')],
    ['is paused before it has started', { ...settled, asked: 'pause' }, idle, { kind: 'pause' }],
    [
      'has succeeded although it was to be cancelled',
      { ...settled, asked: 'cancel' },
      withAttempt({ exit: 'succeeded' }),
      endOf('succeeded'),
    ],
  ])('%s', (_, row, world, expected) => {
    expect(nextJobStep(row, world)).toMatchObject(expected)
  })

  it('settles its hold before it ends or pauses', () => {
    const step = { kind: 'settle', costNano: 1_000_000_000n }
    const charged = { ...running, costNano: 1_000_000_000n }
    const ended = withAttempt({ exit: 'succeeded' }, { durableTokens: 1_000_000n })
    expect(nextJobStep(charged, ended)).toEqual(step)
    expect(nextJobStep({ ...charged, asked: 'pause' }, { ...ended, attempt: { ...attempt, exit: 'stopped' } })).toEqual(
      step,
    )
  })

  it('says why it ended early', () => {
    const world = withAttempt({ exit: 'succeeded', stoppedEarly: 'max_cost' })
    expect(nextJobStep(settled, world)).toMatchObject({ stoppedEarly: 'max_cost' })
  })

  it('never costs more than its maximum', () => {
    const world = withAttempt({}, { durableTokens: 900_000n })
    expect(nextJobStep({ ...running, maxCostNano: 600_000_000n }, world)).toEqual({
      kind: 'charge',
      costNano: 600_000_000n,
    })
  })
})

describe('a paused job', () => {
  const paused: JobRow = { ...settled, status: 'paused', pausedAt: now }

  it('rests, and is cancelled after 30 days', () => {
    expect(nextJobStep(paused, idle)).toEqual({ kind: 'wait', waitingFor: null, until: after(pausedJobDays * dayMs) })
    expect(nextJobStep(paused, { ...idle, now: after(pausedJobDays * dayMs) })).toMatchObject(endOf('cancelled'))
  })

  it('holds nothing', () => {
    expect(nextJobStep({ ...paused, heldNano: 5n }, idle)).toEqual({ kind: 'settle', costNano: 0n })
  })
})

it.each(['succeeded', 'failed', 'cancelled'] as const)('a job that has %s gives its hold back and rests', (status) => {
  const world = { ...idle, durableTokens: 250_000n }
  expect(nextJobStep({ ...running, status }, world)).toEqual({ kind: 'settle', costNano: 250_000_000n })
  expect(nextJobStep({ ...settled, status }, world)).toEqual({ kind: 'wait', waitingFor: null, until: null })
})

describe('the cost of a job', () => {
  const tokens = fc.bigInt({ min: 0n, max: 10n ** 12n })
  const price = fc.bigInt({ min: 0n, max: 10n ** 13n })

  it('is a whole number of micro-dollars and never falls', () => {
    fc.assert(
      fc.property(tokens, tokens, price, (first, more, perMtok) => {
        const [before, later] = [jobCostNano(first, perMtok), jobCostNano(first + more, perMtok)]
        expect(before % 1_000n).toBe(0n)
        expect(later >= before).toBe(true)
        expect(before * 1_000_000n >= first * perMtok).toBe(true)
      }),
    )
  })

  it('is held without what was charged', () => {
    expect(neededHoldNano({ ...running, costNano: 300_000_000n })).toBe(700_000_000n)
    expect(neededHoldNano({ ...running, costNano: 2_000_000_000n })).toBe(0n)
  })
})

/**
 * Does what the steps say, while a trainer, its machine and a user do anything in any order. Every walk must end, or wait for
 * something outside, with nothing held and exactly the cost of the last durable checkpoint charged.
 */
describe('any walk', () => {
  const event = fc.constantFrom(
    'checkpoint',
    'succeeds',
    'fails',
    'is lost',
    'stops',
    'pause',
    'cancel',
    'resume',
    'time',
  )

  it('charges what is durable, and never holds in the end', () => {
    fc.assert(
      fc.property(
        fc.array(event, { maxLength: 30 }),
        fc.option(fc.bigInt({ min: 1_000n, max: 2_000_000_000n })),
        (events, max) => {
          const walk = new Walk(max === null ? null : (max / 1_000n) * 1_000n)
          for (const each of events) {
            walk.happen(each)
            walk.advance()
            expect(walk.row.costNano <= (walk.row.maxCostNano ?? walk.row.costNano)).toBe(true)
          }
          walk.happen('cancel')
          walk.happen('stops')
          walk.advance()
          expect(walk.row.heldNano).toBe(0n)
          expect(['succeeded', 'failed', 'cancelled']).toContain(walk.row.status)
          const cost = jobCostNano(walk.durableTokens, walk.row.priceNanoPerMtok)
          const capped =
            max !== null && walk.row.maxCostNano !== null && walk.row.maxCostNano < cost ? walk.row.maxCostNano : cost
          expect(walk.row.costNano).toBe(capped)
          expect(walk.postedNano).toBe(walk.row.costNano)
        },
      ),
    )
  })
})

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] }

class Walk {
  row: Mutable<JobRow>
  durableTokens = 0n
  postedNano = 0n
  #attempt: Mutable<JobAttempt> | null = null
  #now = now

  constructor(maxCostNano: bigint | null) {
    this.row = { ...running, status: 'validating_files', isDataReady: false, maxCostNano, heldNano: 1_000n }
  }

  happen(event: string): void {
    const runs = this.#attempt?.exit === null && this.row.status === 'running'
    if (event === 'checkpoint' && runs) this.durableTokens = min(this.durableTokens + 123_457n, this.row.totalTokens)
    if (event === 'succeeds' && runs) this.#end('succeeded')
    if (event === 'fails' && runs) this.#end('failed')
    if (event === 'is lost' && runs) this.#end('lost')
    if (event === 'stops' && runs) this.#end('stopped')
    if (event === 'pause' && this.row.status === 'running' && this.row.asked === null) this.row.asked = 'pause'
    if (event === 'cancel') this.#cancel()
    if (event === 'resume' && this.row.status === 'paused') {
      Object.assign(this.row, { status: 'queued', asked: null, pausedAt: null, heldNano: neededHoldNano(this.row) })
    }
    if (event === 'time') this.#now = new Date(this.#now.getTime() + 3_600_000)
  }

  #cancel(): void {
    if (this.row.status === 'running') this.row.asked = 'cancel'
    else if (['validating_files', 'queued', 'paused'].includes(this.row.status)) this.row.status = 'cancelled'
  }

  #end(exit: 'succeeded' | 'failed' | 'lost' | 'stopped'): void {
    if (this.#attempt === null) return
    this.#attempt.exit = exit
    this.#attempt.failure = exit === 'failed' ? { ...failure, retryable: this.durableTokens % 2n === 0n } : null
    if (exit === 'lost' || this.#attempt.failure?.retryable === true) this.row.lostAttempts += 1
  }

  /** Takes steps until one waits. Each is taken twice, as if a worker had died after the first. */
  advance(): void {
    for (let steps = 0; steps < 100; steps += 1) {
      const step = this.#next()
      if (step.kind === 'wait') return
      this.#take(step)
      if (this.#next().kind === step.kind) this.#take(step)
    }
    throw new Error('The job never waits.')
  }

  #next(): NextStep {
    const { durableTokens } = this
    return nextJobStep(this.row, { ...idle, now: this.#now, attempt: this.#attempt, durableTokens })
  }

  #take(step: NextStep): void {
    const { row } = this
    if (step.kind === 'read_data') row.isDataReady = true
    if (step.kind === 'hold') row.heldNano = step.amountNano
    if (step.kind === 'queue') row.status = 'queued'
    if (step.kind === 'start_attempt') {
      row.status = 'running'
      this.#attempt = { ...attempt, leaseUntil: new Date(this.#now.getTime() + 30_000) }
    }
    if (step.kind === 'command' && this.#attempt !== null) {
      Object.assign(this.#attempt, { command: step.command, commandSince: this.#now })
    }
    if (step.kind === 'end_attempt') this.#end(step.exit)
    if (step.kind === 'charge' || step.kind === 'settle') {
      expect(step.costNano - row.costNano <= row.heldNano || step.kind === 'settle').toBe(true)
      this.postedNano += step.costNano - row.costNano
      row.heldNano = step.kind === 'settle' ? 0n : row.heldNano - (step.costNano - row.costNano)
      row.costNano = step.costNano
    }
    if (step.kind === 'pause') Object.assign(row, { status: 'paused', pausedAt: this.#now })
    if (step.kind === 'end') row.status = step.status
  }
}

function min(left: bigint, right: bigint): bigint {
  return left < right ? left : right
}
