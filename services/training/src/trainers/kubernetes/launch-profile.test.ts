import { trainerVariables } from '@ratchet/contracts/trainer-protocol'
import { LaunchProfile, manifestOf, profileFor, secretOf } from './launch-profile.ts'
import { endStateOf, exitCodeOf, isWaiting, LaunchedObject } from './launched-state.ts'

const scope = { namespace: 'trainers', owner: 'ratchet' }
const order = {
  name: 'train-1',
  url: 'http://training:8094',
  token: 'a secret',
  model: 'qwen/small',
  workspaceId: '0a000000-0000-4000-8000-000000000001',
}
const job = { apiVersion: 'batch/v1', kind: 'Job', spec: { template: { spec: { containers: [{ name: 'trainer' }] } } } }
const trainJob = {
  apiVersion: 'trainer.kubeflow.org/v1alpha1',
  kind: 'TrainJob',
  spec: {
    runtimeRef: { name: 'torch-distributed' },
    trainer: { numNodes: 2, env: [{ name: 'HF_HOME', value: '/models' }] },
  },
}
const rayJob = {
  apiVersion: 'ray.io/v1',
  kind: 'RayJob',
  spec: {
    entrypoint: 'python -m trainers',
    rayClusterSpec: { headGroupSpec: { template: { spec: { containers: [{ name: 'ray-head' }] } } } },
  },
}
const profileOf = (manifest: object, models = ['*']) => LaunchProfile.parse({ models, manifest })

const variables = [
  { name: trainerVariables.url, value: 'http://training:8094' },
  { name: trainerVariables.token, valueFrom: { secretKeyRef: { name: 'train-1', key: 'token' } } },
]

it.each([
  ['a Job', job, { spec: { template: { spec: { containers: [{ name: 'trainer', env: variables }] } } } }],
  [
    'a TrainJob',
    trainJob,
    { spec: { trainer: { numNodes: 2, env: [{ name: 'HF_HOME', value: '/models' }, ...variables] } } },
  ],
  [
    'a RayJob',
    rayJob,
    {
      spec: {
        rayClusterSpec: {
          headGroupSpec: { template: { spec: { containers: [{ name: 'ray-head', env: variables }] } } },
        },
      },
    },
  ],
])(
  'starts %s with the address and the name of the secret, and changes nothing of the profile',
  (_name, manifest, expected) => {
    const profile = profileOf(manifest)
    const made = manifestOf(profile, order, scope)
    expect(made).toMatchObject({
      metadata: { name: 'train-1', namespace: 'trainers', labels: { 'ratchet-trainers': 'ratchet' } },
      ...expected,
    })
    expect(JSON.stringify(made)).not.toContain(order.token)
    expect(profile).toEqual(profileOf(manifest))
  },
)

it('has the token in a secret that goes with its owner', () => {
  const secret = secretOf(order, scope, { apiVersion: 'batch/v1', kind: 'Job', uid: 'u1' })
  expect(secret.stringData).toEqual({ token: 'a secret' })
  expect(secret.metadata.ownerReferences).toEqual([{ apiVersion: 'batch/v1', kind: 'Job', name: 'train-1', uid: 'u1' }])
})

it('prefers the profile that names a model', () => {
  const [any, own] = [profileOf(job), profileOf(trainJob, ['qwen/small'])]
  expect(profileFor([any, own], 'qwen/small')).toBe(own)
  expect(profileFor([any, own], 'other')).toBe(any)
  expect(profileFor([own], 'other')).toBeNull()
})

it.each([
  ['a team without workspaces', { teams: { a: [] } }],
  ['a team whose name is none of Kubernetes', { teams: { 'A team': [order.workspaceId] } }],
  ['no queue of the cluster', { clusterQueue: '' }],
])('refuses queues with %s', (_name, changes) => {
  const queue = { clusterQueue: 'gpus', ...changes }
  expect(LaunchProfile.safeParse({ models: ['*'], manifest: job, queue }).success).toBe(false)
})

it('refuses a Job without a container for the trainer, and another kind of object', () => {
  const unnamed = { ...job, spec: { template: { spec: { containers: [{ name: 'main' }] } } } }
  expect(() => manifestOf(profileOf(unnamed), order, scope)).toThrow('trainer')
  expect(
    LaunchProfile.safeParse({ models: ['*'], manifest: { apiVersion: 'apps/v1', kind: 'Deployment' } }).success,
  ).toBe(false)
})

const stateOf = (status: object) => {
  const object = LaunchedObject.parse({ metadata: { name: 'train-1', uid: 'u' }, status })
  return { end: endStateOf(object), waits: isWaiting(object) }
}

it.each([
  ['a Job that is queued', {}, null, true],
  ['a Job whose image is fetched', { active: 1, ready: 0 }, null, true],
  ['a Job that runs', { active: 1, ready: 1 }, null, false],
  ['a Job that is over', { conditions: [{ type: 'Complete', status: 'True' }] }, 'complete', true],
  ['a Job that failed', { conditions: [{ type: 'Failed', status: 'True' }] }, 'failed', true],
  ['a condition that does not hold', { ready: 1, conditions: [{ type: 'Failed', status: 'False' }] }, null, false],
  ['a TrainJob that is suspended', { jobsStatus: [{ name: 'node', ready: 0, active: 0 }] }, null, true],
  ['a TrainJob that runs', { jobsStatus: [{ name: 'node', ready: 2, active: 2 }] }, null, false],
  ['a RayJob that starts', { jobDeploymentStatus: 'Initializing' }, null, true],
  ['a RayJob that runs', { jobDeploymentStatus: 'Running' }, null, false],
  ['a RayJob that is over', { jobDeploymentStatus: 'Complete' }, 'complete', true],
  ['a RayJob that failed', { jobDeploymentStatus: 'Failed' }, 'failed', true],
])('reads %s', (_name, status, end, waits) => {
  expect(stateOf(status)).toEqual({ end, waits })
})

it('reads the exit code of the container of the trainer alone', () => {
  const pod = (name: string, containers: object[]) => ({
    metadata: { labels: { 'batch.kubernetes.io/job-name': name } },
    status: { containerStatuses: containers },
  })
  const ended = (name: string, exitCode: number) => ({ name, state: { terminated: { exitCode } } })
  const pods = [pod('train-2', [ended('trainer', 1)]), pod('train-1', [ended('sidecar', 0), ended('trainer', 75)])]
  expect(exitCodeOf('train-1', pods as never)).toBe(75)
  expect(exitCodeOf('train-3', pods as never)).toBeNull()
})
