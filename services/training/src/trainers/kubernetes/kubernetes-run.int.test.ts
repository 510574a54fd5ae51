import { trainerVariables } from '@ratchet/contracts/trainer-protocol'
import { eventually } from '@ratchet/testing/eventually'
import { type ApiServer, startApiServer } from '@ratchet/testing/kubernetes-api-server.fixture'
import { type TrainingRun, trainingRun } from '../../driver/training-run.fixture.ts'
import { runAttempt } from '../sim/run-attempt.ts'
import { createTrainerClient } from '../trainer-client.ts'
import { connectCluster } from './kubernetes-cluster.ts'
import { createKubernetesTrainer } from './kubernetes-trainer.ts'
import { LaunchProfile } from './launch-profile.ts'

const scope = { namespace: 'trainers', owner: 'test' }
const attemptLeaseMs = 1_500
const profile = LaunchProfile.parse({
  models: ['*'],
  manifest: {
    apiVersion: 'batch/v1',
    kind: 'Job',
    spec: {
      suspend: true,
      backoffLimit: 0,
      template: { spec: { restartPolicy: 'Never', containers: [{ name: 'trainer', image: 'trainers:1' }] } },
    },
  },
  queue: { clusterQueue: 'gpus' },
})

let run: TrainingRun
let server: ApiServer
let isCrashing = false

/** The simulated trainer, as a program in a pod. */
async function trainer(env: Readonly<Record<string, string>>, stopped: AbortSignal): Promise<number> {
  if (isCrashing) return 137
  const [url = '', token = ''] = [env[trainerVariables.url], env[trainerVariables.token]]
  const client = createTrainerClient({ url, token, killed: stopped, retryForMs: 2_000 })
  const deps = { client, now: () => new Date(), isPreempted: () => false, killed: stopped, jobMs: 1_000 }
  return await runAttempt(deps)
    .catch(() => 1)
    .finally(() => client.close())
}

beforeAll(async () => {
  run = await trainingRun({ attemptLeaseMs })
  server = await startApiServer(trainer)
})
afterAll(async () => {
  await run.drop()
  await server.stop()
})
beforeEach(() => {
  isCrashing = false
})

async function startWorker() {
  const cluster = await connectCluster({ kind: 'file', path: server.configFile }, scope)
  const kubernetes = createKubernetesTrainer({ cluster, slots: 2, profiles: [profile], ...scope })
  // The program in its pods is the simulated trainer, and serves under its name.
  return run.startWorker({ trainerOf: () => ({ ...kubernetes, name: 'sim' }) })
}

const statusOf = async (id: string) => (await run.job(id)).status

it('waits for a place on the cluster longer than the lease of an attempt, then trains, and leaves nothing behind', async () => {
  const worker = await startWorker()
  const id = await run.createJob()
  await eventually(() => expect(server.objects('secrets')).toHaveLength(1))
  const [job] = server.objects('jobs')
  const queue = `workspace-${(await run.job(id)).workspace_id}`
  expect(job.metadata.labels).toEqual({ 'kueue.x-k8s.io/queue-name': queue, 'ratchet-trainers': 'test' })
  expect(server.objects('localqueues')).toMatchObject([
    { metadata: { name: queue, namespace: 'trainers' }, spec: { clusterQueue: 'gpus' } },
  ])
  expect(JSON.stringify(job)).not.toContain(server.objects('secrets')[0].stringData.token)
  const [attempt] = await run.attempts(id)
  await eventually(() => expect(Date.now()).toBeGreaterThan(attempt.lease_until.getTime() + 200))
  expect(await run.attempts(id)).toMatchObject([{ exit: null, heartbeat_at: null }])
  server.admit()
  await eventually(async () => expect(await run.job(id)).toMatchObject({ status: 'succeeded', held_nano: '0' }))
  await eventually(() => expect([server.objects('jobs'), server.objects('secrets')]).toEqual([[], []]))
  await worker.stop()
  expect(await run.job(id)).toMatchObject({ lost_attempts: 0, cost_nano: '8000000' })
})

it('goes on while no worker runs, and the next worker finds it', async () => {
  server.admit()
  const worker = await startWorker()
  const id = await run.createJob()
  await eventually(async () => expect((await run.attempts(id))[0]?.step).toBeGreaterThanOrEqual(2))
  await worker.stop()
  await eventually(async () => expect(await run.attempts(id)).toMatchObject([{ exit: 'succeeded' }]))
  const next = await startWorker()
  await run.passTime(id)
  await eventually(async () => expect(await statusOf(id)).toBe('succeeded'))
  await next.stop()
  expect(await run.attempts(id)).toHaveLength(1)
})

it('counts a pod that exits without a word as an attempt that was lost, and fails the job after five', async () => {
  server.admit()
  isCrashing = true
  const worker = await startWorker()
  const id = await run.createJob()
  await eventually(async () => expect(await statusOf(id)).toBe('failed'))
  await worker.stop()
  const attempts = await run.attempts(id)
  expect(attempts.map(({ exit, error_message: message }) => [exit, message.includes('137')])).toEqual(
    Array.from({ length: 5 }, () => ['lost', true]),
  )
  expect(run.money.postings.get(id) ?? []).toEqual([])
})

it('removes what runs without an attempt, also what another installation did not start', async () => {
  const cluster = await connectCluster({ kind: 'file', path: server.configFile }, scope)
  const other = { ...scope, owner: 'other' }
  const kubernetes = createKubernetesTrainer({ cluster, slots: 1, profiles: [profile], ...scope })
  const others = createKubernetesTrainer({ cluster, slots: 1, profiles: [profile], ...other })
  const workspaceId = '0a000000-0000-4000-8000-000000000001'
  const order = { url: run.url, token: 'no token', model: 'sim/base', workspaceId }
  await kubernetes.start({ ...order, name: 'train-0a000000000000000000000000000001-1' })
  await kubernetes.start({ ...order, name: 'train-0a000000000000000000000000000001-1' })
  await others.start({ ...order, name: 'train-0a000000000000000000000000000002-1' })
  const worker = await startWorker()
  await eventually(() =>
    expect(server.objects('jobs').map(({ metadata }) => metadata.labels['ratchet-trainers'])).toEqual(['other']),
  )
  await worker.stop()
  await others.stop('train-0a000000000000000000000000000002-1', 'now')
  expect(server.objects('jobs')).toEqual([])
})

it('has a queue for each workspace or team, and leaves one as it is that an operator has created', async () => {
  const cluster = await connectCluster({ kind: 'file', path: server.configFile }, scope)
  const [lonely, first, second] = [1, 2, 3].map((each) => `0a000000-0000-4000-8000-00000000000${each}`) as [
    string,
    string,
    string,
  ]
  const queue = { clusterQueue: 'gpus', teams: { research: [first, second] } }
  const profiles = [LaunchProfile.parse({ ...profile, queue })]
  const kubernetes = createKubernetesTrainer({ cluster, slots: 9, profiles, ...scope })
  const own = { name: 'team-research', namespace: 'trainers' }
  const spec = { clusterQueue: 'gpus', fairSharing: { weight: '2' } }
  const weighted = { apiVersion: 'kueue.x-k8s.io/v1beta1', kind: 'LocalQueue', metadata: own, spec }
  await cluster.create(weighted)
  const names = [lonely, first, second, lonely].map((_, index) => `train-0b00000000000000000000000000000${index}-1`)
  for (const [index, workspaceId] of [lonely, first, second, lonely].entries()) {
    await kubernetes.start({
      url: run.url,
      token: 'no token',
      model: 'sim/base',
      name: names[index] ?? '',
      workspaceId,
    })
  }
  const queues = names.map(
    (name) =>
      server.objects('jobs').find(({ metadata }) => metadata.name === name).metadata.labels[
        'kueue.x-k8s.io/queue-name'
      ],
  )
  expect(queues).toEqual([`workspace-${lonely}`, 'team-research', 'team-research', `workspace-${lonely}`])
  const specs = new Map(server.objects('localqueues').map(({ metadata, ...each }) => [metadata.name, each.spec]))
  expect(queues.map((name) => specs.get(name))).toEqual([
    { clusterQueue: 'gpus' },
    spec,
    spec,
    { clusterQueue: 'gpus' },
  ])
  for (const name of names) await kubernetes.stop(name, 'now')
})

it('cancels a job, which saves first', async () => {
  server.admit()
  const worker = await startWorker()
  const id = await run.createJob()
  await eventually(async () => expect((await run.attempts(id))[0]?.step).toBeGreaterThanOrEqual(2))
  await run.ask(id, 'cancel')
  await eventually(async () => expect(await run.job(id)).toMatchObject({ status: 'cancelled', held_nano: '0' }))
  await worker.stop()
  expect((await run.checkpoints(id)).length).toBeGreaterThanOrEqual(1)
})

it('goes on when the API server can be reached again', async () => {
  server.admit()
  server.setBroken(true)
  const worker = await startWorker()
  const id = await run.createJob()
  await eventually(() => expect(run.money.failures.length).toBeGreaterThan(0))
  server.setBroken(false)
  await run.passTime(id)
  await eventually(async () => expect(await statusOf(id)).toBe('succeeded'))
  await worker.stop()
  run.money.failures.splice(0)
})
