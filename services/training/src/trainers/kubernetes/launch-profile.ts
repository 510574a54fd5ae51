import { trainerVariables } from '@ratchet/contracts/trainer-protocol'
import { z } from 'zod'
import type { TrainerOrder } from '../trainer.ts'

const Variables = z.array(z.looseObject({ name: z.string() })).default([])
const Container = z.looseObject({ name: z.string(), env: Variables })
const Pod = z.looseObject({ spec: z.looseObject({ containers: z.array(Container).min(1) }) })
const Labels = z.record(z.string(), z.string()).default({})
const Metadata = z.looseObject({ labels: Labels }).prefault({})

/** One pod, or as many as its manifest says, of which each speaks the protocol alone: one is meant. */
const JobManifest = z.looseObject({
  apiVersion: z.literal('batch/v1'),
  kind: z.literal('Job'),
  metadata: Metadata,
  spec: z.looseObject({ template: Pod }),
})

/** Several nodes with torchrun, of which rank 0 speaks the protocol. Of Kubeflow Trainer. */
const TrainJobManifest = z.looseObject({
  apiVersion: z.literal('trainer.kubeflow.org/v1alpha1'),
  kind: z.literal('TrainJob'),
  metadata: Metadata,
  spec: z.looseObject({ trainer: z.looseObject({ env: Variables }) }),
})

/** Several nodes with Ray, of which the head speaks the protocol. Of KubeRay. */
const RayJobManifest = z.looseObject({
  apiVersion: z.literal('ray.io/v1'),
  kind: z.literal('RayJob'),
  metadata: Metadata,
  spec: z.looseObject({ rayClusterSpec: z.looseObject({ headGroupSpec: z.looseObject({ template: Pod }) }) }),
})

const LaunchManifest = z.discriminatedUnion('kind', [JobManifest, TrainJobManifest, RayJobManifest])
type LaunchManifest = z.output<typeof LaunchManifest>

const TeamName = z.string().regex(/^[a-z0-9]([a-z0-9-]{0,40}[a-z0-9])?$/, 'lower case letters, digits and dashes')

/** Queues of Kueue between which the cluster is shared. */
const LaunchQueue = z.strictObject({
  apiVersion: z.string().min(1).default('kueue.x-k8s.io/v1beta1'),
  clusterQueue: z.string().min(1).describe('From which all queues take. The operator creates it.'),
  teams: z
    .record(TeamName, z.array(z.uuid()).min(1))
    .default({})
    .describe('Ids of workspaces that share a queue. Every other workspace has one of its own.'),
})
export type LaunchQueue = z.output<typeof LaunchQueue>

/** How attempts of some models are started on a cluster. An operator writes one file for each. */
export const LaunchProfile = z.strictObject({
  models: z
    .array(z.string().min(1))
    .min(1)
    .describe('Ids of the catalog. `*` stands for any that no other profile names.'),
  manifest: LaunchManifest.describe(
    'As `kubectl create` takes it. The worker sets its name, a label and two variables: of a Job in its container `trainer`.',
  ),
  queue: LaunchQueue.optional().describe('Attempts wait in the queue of their workspace, as Kueue starts them.'),
})
export type LaunchProfile = z.output<typeof LaunchProfile>

/** The label of everything that is started here; its value is the name of the installation. */
export const ownerLabel = 'ratchet-trainers'

/** The first profile that names a model, else the first for any model, else null. */
export function profileFor(profiles: readonly LaunchProfile[], model: string): LaunchProfile | null {
  const named = profiles.find(({ models }) => models.includes(model))
  return named ?? profiles.find(({ models }) => models.includes('*')) ?? null
}

export interface LaunchScope {
  readonly namespace: string
  /** Of this installation, which may share the namespace with others. */
  readonly owner: string
}

/**
 * What is created for an attempt: the manifest of its profile with its name, its label and the variables of the protocol.
 * The token is not in it, but in the secret of the same name.
 *
 * @throws Error for a Job without a container `trainer`
 */
export function manifestOf(profile: LaunchProfile, order: TrainerOrder, scope: LaunchScope): LaunchManifest {
  const { name, url } = order
  const manifest = structuredClone(profile.manifest)
  Object.assign(manifest.metadata, { name, namespace: scope.namespace })
  manifest.metadata.labels[ownerLabel] = scope.owner
  if (profile.queue !== undefined) manifest.metadata.labels[queueLabel] = queueName(profile.queue, order)
  variablesOf(manifest).push(
    { name: trainerVariables.url, value: url },
    { name: trainerVariables.token, valueFrom: { secretKeyRef: { name, key: tokenKey } } },
  )
  return manifest
}

const tokenKey = 'token'

/** The token of an attempt. It goes when the object that it is for goes. */
export function secretOf({ name, token }: TrainerOrder, scope: LaunchScope, owner: CreatedObject) {
  const { apiVersion, kind, uid } = owner
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name,
      namespace: scope.namespace,
      labels: { [ownerLabel]: scope.owner },
      ownerReferences: [{ apiVersion, kind, name, uid }],
    },
    stringData: { [tokenKey]: token },
  }
}

/** The label by which Kueue knows the queue of an object. */
const queueLabel = 'kueue.x-k8s.io/queue-name'

function queueName({ teams }: LaunchQueue, { workspaceId }: Pick<TrainerOrder, 'workspaceId'>): string {
  const team = Object.entries(teams).find(([, members]) => members.includes(workspaceId))
  return team === undefined ? `workspace-${workspaceId}` : `team-${team[0]}`
}

/** The queue in which an attempt waits. It stays: what Kueue knows of its use decides whose attempt is next. */
export function queueOf(queue: LaunchQueue, order: Pick<TrainerOrder, 'workspaceId'>, scope: LaunchScope) {
  return {
    apiVersion: queue.apiVersion,
    kind: 'LocalQueue',
    metadata: { name: queueName(queue, order), namespace: scope.namespace, labels: { [ownerLabel]: scope.owner } },
    spec: { clusterQueue: queue.clusterQueue },
  }
}

/** What an owner reference needs. */
export interface CreatedObject {
  readonly apiVersion: string
  readonly kind: string
  readonly uid: string
}

function variablesOf(manifest: LaunchManifest): z.output<typeof Variables> {
  if (manifest.kind === 'TrainJob') return manifest.spec.trainer.env
  if (manifest.kind === 'RayJob') return containerOf(manifest.spec.rayClusterSpec.headGroupSpec.template).env
  const trainer = manifest.spec.template.spec.containers.find(({ name }) => name === 'trainer')
  if (trainer === undefined) throw new Error('the Job of a launch profile needs a container `trainer`')
  return trainer.env
}

/** Ray's own process is the first container of its head. */
function containerOf({ spec }: z.output<typeof Pod>): z.output<typeof Container> {
  return spec.containers[0] as z.output<typeof Container>
}
