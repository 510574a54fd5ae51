import type { IDeployment } from 'kubernetes-models/apps/v1/Deployment'
import type { IStatefulSet } from 'kubernetes-models/apps/v1/StatefulSet'
import type { IHorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler'
import type { IJob } from 'kubernetes-models/batch/v1/Job'
import type { INetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy'
import type { IPodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget'
import type { IConfigMap } from 'kubernetes-models/v1/ConfigMap'
import type { IContainer } from 'kubernetes-models/v1/Container'
import type { INamespace } from 'kubernetes-models/v1/Namespace'
import type { IPod } from 'kubernetes-models/v1/Pod'
import type { IPodSpec } from 'kubernetes-models/v1/PodSpec'
import type { IService } from 'kubernetes-models/v1/Service'

/** One object of a rendered manifest, of any kind. */
export interface KubeObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels?: Labels }
}

export type Labels = Readonly<Record<string, string>>

/** Types of the kinds that policies read. `check-schema.ts` verifies that objects have these types. */
interface Kinds {
  ConfigMap: IConfigMap
  Deployment: IDeployment
  ExternalSecret: { readonly spec?: { readonly data?: readonly { readonly secretKey: string }[] } }
  HorizontalPodAutoscaler: IHorizontalPodAutoscaler
  Job: IJob
  Namespace: INamespace
  NetworkPolicy: INetworkPolicy
  Pod: IPod
  PodDisruptionBudget: IPodDisruptionBudget
  PodMonitor: {
    readonly spec?: {
      readonly selector: { readonly matchLabels?: Labels }
      readonly podMetricsEndpoints?: readonly { readonly port?: string }[]
    }
  }
  ScaledObject: {
    readonly spec?: {
      readonly scaleTargetRef: { readonly name: string; readonly kind?: string }
      readonly triggers?: readonly { readonly metadata: Readonly<Record<string, string>> }[]
    }
  }
  Service: IService
  ServiceAccount: { readonly automountServiceAccountToken?: boolean }
  StatefulSet: IStatefulSet
}

/** The objects of one kind. */
export function ofKind<Kind extends keyof Kinds>(
  objects: readonly KubeObject[],
  kind: Kind,
): readonly (Kinds[Kind] & KubeObject)[] {
  return objects.filter((object) => object.kind === kind) as (Kinds[Kind] & KubeObject)[]
}

/** An object that creates pods, with its pod template. */
export interface Workload {
  readonly kind: 'Deployment' | 'StatefulSet' | 'Job' | 'Pod'
  readonly name: string
  readonly labels: Labels
  readonly pod: IPodSpec
}

export function workloads(objects: readonly KubeObject[]): readonly Workload[] {
  const kinds = ['Deployment', 'StatefulSet', 'Job'] as const
  const templates = kinds.flatMap((kind) =>
    ofKind(objects, kind).flatMap(({ metadata, spec }) => {
      const { metadata: { labels = {} } = {}, spec: pod } = spec?.template ?? {}
      return pod === undefined ? [] : [{ kind, name: metadata.name, labels, pod }]
    }),
  )
  const pods = ofKind(objects, 'Pod').flatMap(({ metadata: { name, labels = {} }, spec: pod }) => {
    return pod === undefined ? [] : [{ kind: 'Pod' as const, name, labels, pod }]
  })
  return [...templates, ...pods]
}

/** Every container of a workload, init containers included, with a name for messages. */
export function containersOf({ name, pod }: Workload): readonly (IContainer & { readonly where: string })[] {
  return [...(pod.initContainers ?? []), ...pod.containers].map((container) => ({
    ...container,
    where: `${name}/${container.name}`,
  }))
}

/** Whether a selector matches these labels. An empty selector matches all. */
export function selects(
  selector: {
    readonly matchLabels?: Labels
    readonly matchExpressions?: readonly { key: string; operator: string; values?: readonly string[] }[]
  },
  labels: Labels,
): boolean {
  const byLabel = Object.entries(selector.matchLabels ?? {}).every(([key, value]) => labels[key] === value)
  return byLabel && (selector.matchExpressions ?? []).every((expression) => meets(expression, labels[expression.key]))
}

function meets({ operator, values = [] }: { operator: string; values?: readonly string[] }, value: string | undefined) {
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value)
    case 'NotIn':
      return value === undefined || !values.includes(value)
    case 'Exists':
      return value !== undefined
    case 'DoesNotExist':
      return value === undefined
    default:
      throw new RangeError(`no such operator: ${operator}`)
  }
}
