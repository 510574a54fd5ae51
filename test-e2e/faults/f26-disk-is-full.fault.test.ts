import path from 'node:path'
import { elapse } from '@ratchet/testing/elapse'
import { eventually } from '@ratchet/testing/eventually'
import { ledgerAtRest } from '../ledger-oracle.ts'
import { describeFault, type Fault, type OnStop } from './describe-fault.ts'
import type { Asked } from './fault-clients.ts'
import { loadDuring, percentile, statusesOf, tenths } from './load.ts'
import { expectEachLoggedOnce } from './logged-once.ts'
import { migratedDatabase, type OwnPostgres, ownPostgres, ownRedis, redisCommand } from './own-stores.ts'
import { prepareWork, type Work, workEnv } from './queued-work.ts'
import { mayMount, mountSmallDisk, type SmallDisk } from './small-disk.ts'

let postgresDisk: SmallDisk
let redisDisk: SmallDisk
let redisUrl: string
let postgres: OwnPostgres

const load = { clients: 4, model: 'sim/echo' }
/** Enough for Postgres' own files with a small write-ahead log. */
const postgresMegabytes = 200
const redisMegabytes = 8
const smallLog = { min_wal_size: '32MB', max_wal_size: '48MB' }

const isPossible = mayMount()
if (!isPossible) process.stderr.write('F26 is skipped: only root may mount the small disk that it fills.\n')

const fault26 = {
  id: 'F26',
  title: 'the disks of Postgres and Redis are full',
  promise:
    'writes are refused: 503, or work waits; nothing is written partially; work continues when there is space again',
  fleet: async (onStop: OnStop) => ({
    stores: await storesOnSmallDisks(onStop),
    judges: true,
    evals: true,
    workspace: { balanceUsd: '1000.00' },
    env: { ...workEnv, DATABASE_SILENCE_MS: '250' },
  }),
}

if (isPossible) describeFault(fault26, report)
else it.skip(`${fault26.id} ${fault26.title}`, () => undefined)

function report(fault: Fault): void {
  let work: Work

  beforeAll(async () => {
    work = await prepareWork(fault, 20, { requestsPerMinute: 1_000_000 })
  }, 60_000)

  it('of Redis: fails no chat, and processes new work', async () => {
    let ordered: readonly string[] = []
    const full = await loadDuring(fault, load, async () => {
      await redisDisk.fill()
      await eventually(isRefusedByRedis, { withinMs: 45_000 })
      ordered = await work.order()
      await elapse(2_000)
    })
    fault.note('Redis full: requests, all 200', full.length)
    expect(statusesOf(full)).toEqual({ 200: full.length })
    await expectEachLoggedOnce(fault, full)
    const done = await Promise.all(ordered.map((path) => work.untilOver(path)))
    expect(done.map(({ status }) => status)).toEqual(['DONE', 'DONE'])
    await redisDisk.free()
  }, 90_000)

  it('of Postgres: refuses requests that it cannot write, and continues when there is space again', async () => {
    const stream = { model: 'sim/pace-50', stream: true, body: { max_tokens: 40 } }
    const begun = await Promise.all(Array.from({ length: 20 }, () => fault.begin(stream)))
    await postgresDisk.fill()
    const full = await loadUntilRefused(fault)
    const streams = await Promise.all(begun.map(({ read }) => read()))
    const { 200: delivered = 0, 503: refused = 0, ...others } = statusesOf(full)
    const refusals = full.filter(({ status }) => status === 503)
    fault.note('Postgres full: delivered, all charged later', delivered + streams.length)
    fault.note('503', refused)
    fault.note('503 after, slowest, ms', tenths(percentile(refusals, 1)))
    expect(others).toEqual({})
    expect(streams.filter(({ whole }) => !whole)).toEqual([])
    expect(refusals.every(({ headers }) => /^\d+$/.test(headers.get('retry-after') ?? ''))).toBe(true)
    await postgresDisk.free()
    const freedAt = performance.now()
    let starts = 0
    const answers = async () => {
      // Postgres ends when it cannot write its log.
      if (await postgres.startIfEnded()) starts += 1
      return (await fault.ask(load)).status === 200
    }
    await eventually(answers, { withinMs: 45_000 })
    fault.note('Postgres had ended itself and was started again, times', starts)
    const { violations } = await ledgerAtRest(fault.fleet, fault.fleet.workspace)
    fault.note('all charged after there was room, s', tenths((performance.now() - freedAt) / 1_000))
    expect(violations).toEqual([])
  }, 120_000)
}

async function storesOnSmallDisks(onStop: OnStop) {
  postgresDisk = await mountSmallDisk(onStop, postgresMegabytes)
  redisDisk = await mountSmallDisk(onStop, redisMegabytes)
  const folder = path.join(postgresDisk.folder, 'data')
  postgres = await ownPostgres(onStop, { folder, settings: smallLog })
  const redis = await ownRedis(onStop, { folder: redisDisk.folder, durable: true })
  redisUrl = redis.url
  return { databaseUrl: await migratedDatabase(postgres), redisUrl }
}

/** Whether Redis has detected that it cannot write its file. */
function isRefusedByRedis(): Promise<boolean> {
  return redisCommand(redisUrl, (redis) =>
    redis.set('probe', 'x').then(
      () => false,
      (error: Error) => error.message.startsWith('MISCONF'),
    ),
  )
}

/** Sends requests until several in a row are refused, because existing pages have space for some rows. */
function loadUntilRefused(fault: Fault): Promise<readonly Asked[]> {
  let inARow = 0
  return loadDuring(fault, load, () =>
    eventually(
      async () => {
        inARow = (await fault.ask(load)).status === 503 ? inARow + 1 : 0
        return inARow >= 10
      },
      { withinMs: 45_000 },
    ),
  )
}
