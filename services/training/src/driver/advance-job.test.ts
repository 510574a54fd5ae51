import { anything } from '@ratchet/testing/routes-of'
import { type AdvanceDeps, advanceJob } from './advance-job.ts'
import type { DrivenJob, ReleasedJob } from './driver-store.ts'
import { idle, running } from './job-rows.fixture.ts'

const job: DrivenJob = {
  ...anything<DrivenJob>(),
  ...running,
  id: 'job',
  workspaceId: 'workspace',
  trainer: 'sim',
  status: 'validating_files',
  isDataReady: false,
  attempts: 3,
}

/** Advances a job whose data is to be read, and returns how it was released. */
async function advance(more: Partial<DrivenJob>, deps: Pick<AdvanceDeps, 'readInTurn' | 'readData'>) {
  const released: ReleasedJob[] = []
  const store = {
    ...anything<AdvanceDeps['store']>(),
    world: async () => ({ ...idle, attempt: null }),
    release: async (_: DrivenJob, release: ReleasedJob) => void released.push(release),
  }
  const failures: unknown[] = []
  const onEvent: AdvanceDeps['onEvent'] = (event) => {
    if (event.kind === 'failed') failures.push(event.error)
  }
  const others = { ...anything<AdvanceDeps>(), dataBytes: async () => 10 }
  await advanceJob({ ...others, trainers: new Map(), store, onEvent, ...deps }, { ...job, ...more })
  return { released, failures }
}

it('comes back soon, and counts no failure, when others read at the moment', async () => {
  const readData = () => Promise.reject(new Error('not read'))
  const { released, failures } = await advance({}, { readInTurn: async () => false, readData })
  expect(released).toEqual([{ delayMs: 1_000, waitingFor: null, failures: 2, isUnoffered: false }])
  expect(failures).toEqual([])
})

it.each([
  [0, 60_000],
  [1, 120_000],
  [3, 480_000],
  [4, 0],
])('pauses after reading %s failed: %s ms', async (dataTries, delayMs) => {
  const readInTurn: AdvanceDeps['readInTurn'] = async (_, read) => {
    await read()
    return true
  }
  const readData = () => Promise.reject(new Error('no storage'))
  const { released, failures } = await advance({ dataTries }, { readInTurn, readData })
  expect(released).toEqual([{ delayMs, waitingFor: null, failures: 3, isUnoffered: false }])
  expect(failures).toHaveLength(1)
})
