import type { KubeObject } from '../k8s/kube-object.ts'

/** A step into an object: a field, the index of an item, or the item whose field has a value. */
export type Step = string | number | { readonly name: string }

/** A place of an object that a value of the chart decides. */
export interface Parameter {
  readonly at: readonly Step[]
  readonly value: readonly string[]
}

export const identify = ({ kind, metadata }: KubeObject): string => `${kind}/${metadata.name}`

const container = ['spec', 'template', 'spec', 'containers', 0] as const
const secretOf = (name: string) => [...container, 'env', { name }, 'valueFrom', 'secretKeyRef', 'name'] as const

/** Places of an object of the base that values decide. One that does not exist in the base is added when it has a value. */
export function parametersOf(object: KubeObject): readonly Parameter[] {
  const { kind, metadata } = object
  const process = ['processes', metadata.name]
  switch (kind) {
    case 'Deployment':
      return [
        { at: ['spec', 'replicas'], value: [...process, 'replicas'] },
        { at: ['spec', 'template', 'spec', 'priorityClassName'], value: [...process, 'priorityClassName'] },
        { at: [...container, 'resources'], value: [...process, 'resources'] },
        { at: secretOf('DATABASE_URL'), value: [...process, 'databaseSecret'] },
        { at: secretOf('LEDGER_DATABASE_URLS'), value: [...process, 'ledgersSecret'] },
        { at: [...container, 'env', { name: 'SIP_ADDRESS' }, 'value'], value: ['components', 'sip', 'address'] },
      ]
    case 'HorizontalPodAutoscaler':
      return [
        { at: ['spec', 'minReplicas'], value: [...process, 'autoscaling', 'minReplicas'] },
        { at: ['spec', 'maxReplicas'], value: [...process, 'autoscaling', 'maxReplicas'] },
      ]
    default:
      return placesOfObjects[identify(object)] ?? []
  }
}

const network = (store: string): readonly Parameter[] => [
  { at: ['spec', 'egress', 0, 'to'], value: ['network', store] },
]
const scaler = (name: string): readonly Parameter[] =>
  ['minReplicaCount', 'maxReplicaCount'].map((field) => ({
    at: ['spec', field],
    value: ['components', 'keda', 'scalers', name, field],
  }))
const inComponent = (component: string, places: Readonly<Record<string, readonly Step[]>>): readonly Parameter[] =>
  Object.entries(places).map(([name, at]) => ({ at, value: ['components', component, name] }))

const secretStore = inComponent('external-secrets', { secretStoreRef: ['spec', 'secretStoreRef'] })

const placesOfObjects: Readonly<Record<string, readonly Parameter[]>> = {
  'NetworkPolicy/to-postgres': network('postgres'),
  'NetworkPolicy/to-redis': network('redis'),
  'NetworkPolicy/to-clickhouse': network('clickhouse'),
  'PersistentVolumeClaim/artifacts': [
    { at: ['spec', 'accessModes'], value: ['artifacts', 'accessModes'] },
    { at: ['spec', 'resources', 'requests', 'storage'], value: ['artifacts', 'storage'] },
    { at: ['spec', 'storageClassName'], value: ['artifacts', 'storageClassName'] },
  ],
  'Job/migrate': [
    { at: secretOf('DATABASE_URL'), value: ['migrations', 'databaseSecret'] },
    { at: secretOf('LEDGER_DATABASE_URLS'), value: ['migrations', 'ledgersSecret'] },
    { at: [...container, 'resources'], value: ['migrations', 'resources'] },
  ],
  'Ingress/edge': inComponent('ingress', {
    annotations: ['metadata', 'annotations'],
    className: ['spec', 'ingressClassName'],
    host: ['spec', 'rules', 0, 'host'],
    tls: ['spec', 'tls'],
  }),
  'HTTPRoute/edge': inComponent('gateway-api', {
    parentRefs: ['spec', 'parentRefs'],
    hostnames: ['spec', 'hostnames'],
  }),
  'NetworkPolicy/monitoring': inComponent('monitoring', {
    metricsFrom: ['spec', 'ingress', 0, 'from'],
    tracesTo: ['spec', 'egress', 0, 'to'],
  }),
  'NetworkPolicy/from-keda': inComponent('keda', { from: ['spec', 'ingress', 0, 'from'] }),
  'NetworkPolicy/to-api-server': inComponent('training-jobs', { apiServer: ['spec', 'egress', 0, 'to'] }),
  'NetworkPolicy/worker-to-engines': inComponent('serving-engines', { apiServer: ['spec', 'egress', 1, 'to'] }),
  'NetworkPolicy/voice-worker-trunks': [
    ...inComponent('sip', { trunks: ['spec', 'ingress', 0, 'from'] }),
    ...inComponent('sip', { trunks: ['spec', 'egress', 0, 'to'] }),
  ],
  'ScaledObject/eval-worker': scaler('eval-worker'),
  'ScaledObject/judging-worker': scaler('judging-worker'),
  'ScaledObject/training-worker': scaler('training-worker'),
  ...Object.fromEntries(['keys', 'providers', 'stores'].map((name) => [`ExternalSecret/ratchet-${name}`, secretStore])),
  ...Object.fromEntries(
    ['alias', 'dashboard', 'edge', 'eval', 'inference', 'judging', 'logging', 'training', 'voice'].map((name) => [
      `ExternalSecret/${name}-login`,
      secretStore,
    ]),
  ),
}

/** Reads what is at a place; undefined when it does not exist. */
export function readPlace(node: unknown, at: readonly Step[]): unknown {
  return at.reduce<unknown>((inside, step) => {
    if (typeof inside !== 'object' || inside === null) return undefined
    if (typeof step !== 'object') return (inside as Readonly<Record<string | number, unknown>>)[step]
    return Array.isArray(inside) ? inside.find((item) => item?.name === step.name) : undefined
  }, node)
}

/** @returns a copy with another value at a place */
export function writePlace(node: unknown, at: readonly Step[], value: unknown): unknown {
  const [step, ...rest] = at
  if (step === undefined) return value
  if (Array.isArray(node)) {
    const index = typeof step === 'object' ? node.findIndex((item) => item?.name === step.name) : Number(step)
    return node.map((item, each) => (each === index ? writePlace(item, rest, value) : item))
  }
  const fields = node as Readonly<Record<string, unknown>>
  return { ...fields, [String(step)]: writePlace(fields[String(step)], rest, value) }
}
