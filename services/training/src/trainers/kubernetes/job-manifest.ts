import { trainerVariables } from '@ratchet/contracts/trainer-protocol'
import type { TrainerOrder } from '../trainer.ts'
import type { TrainerProfile } from './profile.ts'

export interface ManifestOptions {
  readonly profile: TrainerProfile
  /** Name of a LocalQueue of Kueue, which then decides when a Job starts; null: it starts at once. */
  readonly queue: string | null
  /** Time to save after SIGTERM, seconds. */
  readonly graceSeconds: number
}

/** The label by which the Jobs of trainers are found. */
export const trainerLabel = { name: 'ratchet.dev/part', value: 'trainer' } as const

const tokenKey = 'token'

/** A Job for one attempt. Attempts are counted by Ratchet, so Kubernetes repeats nothing. */
export function jobManifest({ name, url }: TrainerOrder, { profile, queue, graceSeconds }: ManifestOptions) {
  const labels = { [trainerLabel.name]: trainerLabel.value, 'app.kubernetes.io/name': 'trainer' }
  const queueLabel = queue === null ? {} : { 'kueue.x-k8s.io/queue-name': queue }
  const variables = Object.entries(profile.environment).map(([variable, value]) => ({ name: variable, value }))
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, labels: Object.assign({}, labels, queueLabel) },
    spec: {
      suspend: queue !== null,
      parallelism: 1,
      completions: 1,
      backoffLimit: 0,
      activeDeadlineSeconds: profile.max_seconds,
      // For Jobs that no worker removes any more.
      ttlSecondsAfterFinished: 86_400,
      template: {
        metadata: { labels },
        spec: {
          restartPolicy: 'Never',
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          terminationGracePeriodSeconds: graceSeconds,
          nodeSelector: profile.node_selector,
          tolerations: profile.tolerations,
          securityContext: {
            runAsNonRoot: true,
            runAsUser: 65_532,
            runAsGroup: 65_532,
            fsGroup: 65_532,
            seccompProfile: { type: 'RuntimeDefault' },
          },
          containers: [
            {
              name: 'trainer',
              image: profile.image,
              ...(profile.command === undefined ? {} : { command: profile.command }),
              env: [
                { name: trainerVariables.url, value: profile.training_url ?? url },
                { name: trainerVariables.token, valueFrom: { secretKeyRef: { name, key: tokenKey } } },
                { name: 'HOME', value: '/tmp' },
                ...variables,
              ],
              resources: { requests: profile.resources, limits: profile.resources },
              securityContext: {
                allowPrivilegeEscalation: false,
                readOnlyRootFilesystem: true,
                capabilities: { drop: ['ALL'] },
              },
              volumeMounts: [{ name: 'scratch', mountPath: '/tmp' }],
            },
          ],
          volumes: [{ name: 'scratch', emptyDir: { sizeLimit: profile.scratch } }],
        },
      },
    },
  }
}

/** The token of an attempt. It goes with its Job. */
export function tokenManifest({ name, token }: TrainerOrder, jobUid: string) {
  const owner = { apiVersion: 'batch/v1', kind: 'Job', name, uid: jobUid }
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, labels: { [trainerLabel.name]: trainerLabel.value }, ownerReferences: [owner] },
    type: 'Opaque',
    immutable: true,
    stringData: { [tokenKey]: token },
  }
}
