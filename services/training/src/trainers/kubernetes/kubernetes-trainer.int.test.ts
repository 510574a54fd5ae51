import type { AttemptEnd } from '../../attempts/attempt.ts'
import type { AttemptId } from '../../attempts/job-token.ts'
import { reconcileTrainers } from '../../driver/reconcile-trainers.ts'
import { attemptName } from '../trainer.ts'
import { createHttpKubeJobs } from './http-kube-jobs.ts'
import { maxStartMs } from './job-state.ts'
import { type KubeApi, startKubeApi } from './kube-api.fixture.ts'
import { createKubernetesTrainer } from './kubernetes-trainer.ts'
import { TrainerProfile } from './profile.ts'

const now = new Date('2026-01-02T00:00:00Z')
const attemptOf = (number: number): AttemptId => ({
  jobId: `019aa5f0-8a07-7000-8000-00000000000${number}`,
  generation: 1,
})
const orderOf = (number: number) => ({
  name: attemptName(attemptOf(number)),
  url: 'http://training:8094',
  token: `token ${number}`,
})
const profile = TrainerProfile.parse({
  launcher: 'job',
  image: 'registry.example/trainers:1',
  training_url: 'http://training.ratchet.svc:8094',
  resources: { cpu: '4', memory: '32Gi', 'nvidia.com/gpu': '1' },
  node_selector: { 'gpu.example/kind': 'l4' },
  environment: { HF_HUB_OFFLINE: '1' },
})

let api: KubeApi
const closes: (() => Promise<void>)[] = []
beforeEach(async () => {
  api = await startKubeApi('a service account', 'trainers')
})
afterEach(async () => {
  for (const close of closes.splice(0)) await close()
  await api.stop()
})

function trainer({ queue = null as string | null, token = 'a service account' } = {}) {
  const options = { url: api.url, namespace: 'trainers', ca: undefined, readToken: async () => `${token}\n` }
  const { jobs, close } = createHttpKubeJobs(options)
  closes.push(close)
  return createKubernetesTrainer({ jobs, slots: 2, now: () => now, profile, queue, graceSeconds: 660 })
}

it('starts one Job for an attempt, whoever starts it, with a token that goes with it', async () => {
  const { name } = orderOf(1)
  await trainer().start(orderOf(1))
  await trainer().start(orderOf(1))
  expect([...api.jobs.keys()]).toEqual([name])
  const { spec } = api.jobs.get(name)
  expect(spec).toMatchObject({ suspend: false, backoffLimit: 0, parallelism: 1 })
  const { containers, ...pod } = spec.template.spec
  expect(pod).toMatchObject({
    automountServiceAccountToken: false,
    restartPolicy: 'Never',
    terminationGracePeriodSeconds: 660,
    nodeSelector: { 'gpu.example/kind': 'l4' },
  })
  expect(containers[0].resources.limits).toEqual({ cpu: '4', memory: '32Gi', 'nvidia.com/gpu': '1' })
  expect(containers[0].env[0].value).toBe('http://training.ratchet.svc:8094')
  expect(JSON.stringify(api.jobs.get(name))).not.toContain('token 1')
  expect(api.secrets.get(name)).toMatchObject({ data: { token: 'token 1' }, immutable: true })
  await trainer().forget(name)
  await trainer().forget(name)
  expect([api.jobs.size, api.secrets.size]).toEqual([0, 0])
})

it('completes a start that ended between the Job and its token', async () => {
  await trainer().start(orderOf(1))
  api.secrets.clear()
  await trainer().start(orderOf(1))
  expect(api.secrets.get(orderOf(1).name)?.metadata.ownerReferences[0]).toMatchObject({ kind: 'Job', uid: 'uid-1' })
})

it('leaves it to the queue of Kueue when a Job starts', async () => {
  await trainer({ queue: 'trainers' }).start(orderOf(1))
  const { metadata, spec } = api.jobs.get(orderOf(1).name)
  expect([spec.suspend, metadata.labels['kueue.x-k8s.io/queue-name']]).toEqual([true, 'trainers'])
  expect(await trainer().list()).toEqual([{ name: orderOf(1).name, exitCode: null, isWaiting: true }])
})

it.each([
  ['has not started', { startTime: now.toISOString(), active: 1 }, { exitCode: null, isWaiting: true }],
  ['runs', { startTime: now.toISOString(), active: 1, ready: 1 }, { exitCode: null, isWaiting: false }],
  [
    'does not get started',
    { startTime: new Date(now.getTime() - maxStartMs).toISOString(), active: 1 },
    { exitCode: null, isWaiting: false },
  ],
  ['is done', { conditions: [{ type: 'Complete', status: 'True' }] }, { exitCode: 0 }],
  ['has failed', { conditions: [{ type: 'Failed', status: 'True' }] }, { exitCode: 1 }],
])('lists a Job that %s', async (_what, status, expected) => {
  await trainer().start(orderOf(1))
  Object.assign(api.jobs.get(orderOf(1).name), { status })
  expect(await trainer().list()).toEqual([Object.assign({ name: orderOf(1).name }, expected)])
})

it('throws when the API server refuses or fails, so that the start is tried again', async () => {
  await expect(trainer({ token: 'another' }).start(orderOf(1))).rejects.toThrow('401')
  api.failNext(1)
  await expect(trainer().list()).rejects.toThrow('503')
  await trainer().start(orderOf(1))
  expect(api.jobs.size).toBe(1)
})

it('ends what runs without an attempt, of all pages, and keeps what waits for a machine', async () => {
  for (const number of [1, 2, 3, 4, 5]) await trainer().start(orderOf(number))
  const running = new Set([attemptOf(2).jobId, attemptOf(4).jobId, attemptOf(5).jobId])
  api.jobs.get(orderOf(2).name).status = { active: 1, ready: 1, startTime: now.toISOString() }
  api.jobs.get(orderOf(4).name).status = { conditions: [{ type: 'Failed', status: 'True' }] }
  const foreign = { metadata: { name: 'something-else', labels: {}, uid: 'x' }, spec: {} }
  api.jobs.set('something-else', foreign)
  const [kept, ended, events]: [string[], [string, AttemptEnd['exit']][], string[]] = [[], [], []]
  const attempts = {
    isRunning: async ({ jobId }: AttemptId) => running.has(jobId),
    keepWaiting: async ({ jobId }: AttemptId) => kept.push(jobId) > 0,
    end: async ({ jobId }: AttemptId, { exit }: AttemptEnd) => ended.push([jobId, exit]) > 0,
  }
  const onEvent = ({ kind, name }: { kind: string; name: string }) => void events.push(`${kind} ${name}`)
  await reconcileTrainers({ trainers: [trainer()], attempts, attemptLeaseMs: 35_000, onEvent })
  expect([...api.jobs.keys()].sort()).toEqual(['something-else', orderOf(2).name, orderOf(5).name].sort())
  expect([...api.secrets.keys()]).toEqual([orderOf(2).name, orderOf(5).name])
  expect(kept).toEqual([attemptOf(5).jobId])
  expect(ended).toEqual([[attemptOf(4).jobId, 'lost']])
  expect(events.sort()).toEqual([
    `exited ${orderOf(4).name}`,
    `orphan_stopped ${orderOf(1).name}`,
    `orphan_stopped ${orderOf(3).name}`,
  ])
})
