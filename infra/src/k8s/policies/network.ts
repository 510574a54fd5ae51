import { environmentOf } from '../environment.ts'
import { type KubeObject, ofKind, type Workload, workloads } from '../kube-object.ts'
import { type Far, mayEnter, mayLeave } from '../network-reach.ts'

/** Addresses that no pod may reach: metadata services, link-local, the cluster's own surroundings. */
const forbidden = [
  '169.254.169.254',
  '169.254.170.2',
  '168.63.129.16',
  '100.100.100.200',
  'fd00:ec2::254',
  'fe80::1',
  '10.0.0.1',
  '192.168.1.1',
  '127.0.0.1',
]
const outside = ['8.8.8.8', '2606:4700::1111']
const privateStore = '10.20.30.40'
/** Open to whoever gets as far as the cluster. */
export const publicDoor = 'edge:8080'
/** Who calls the public internet: providers and receivers of webhooks are there. */
const callsOutside = ['inference', 'alias-worker', 'eval-worker']

/** Connections are possible exactly where the environment of a process names an address, and nowhere else. */
export function networkProblems(objects: readonly KubeObject[]): readonly string[] {
  const policies = ofKind(objects, 'NetworkPolicy')
  const all = workloads(objects)
  const denies = policies.some(({ spec }) => {
    const isAll = Object.keys(spec?.podSelector ?? {}).length === 0
    const isBoth = ['Ingress', 'Egress'].every((type) => (spec?.policyTypes ?? []).some((it) => it === type))
    return isAll && isBoth && spec?.ingress === undefined && spec?.egress === undefined
  })
  return [
    ...(denies ? [] : ['nothing denies by default']),
    ...all.flatMap((from) => [
      ...all.flatMap((to) => betweenProblems({ from, to, objects })),
      ...outsideProblems(from, objects),
      ...dnsProblems(from, objects),
    ]),
    ...all
      .filter(({ name }) => name === 'edge')
      .flatMap((edge) => {
        const client: Far = { kind: 'address', ip: '203.0.113.9' }
        return [
          ...(mayEnter(policies, edge, client, 8080) ? [] : ['nobody reaches the edge']),
          ...(mayEnter(policies, edge, client, 9090) ? ['anybody reads the metrics of the edge'] : []),
        ]
      }),
  ]
}

interface Pair {
  readonly from: Workload
  readonly to: Workload
  readonly objects: readonly KubeObject[]
}

function betweenProblems({ from, to, objects }: Pair): string[] {
  const policies = ofKind(objects, 'NetworkPolicy')
  const wanted = addressesOf(from, objects)
  const ports = to.pod.containers
    .flatMap((container) => container.ports ?? [])
    .map(({ containerPort }) => containerPort)
  return ports.flatMap((port) => {
    const leaves = mayLeave(policies, from.labels, { kind: 'pod', labels: to.labels }, port)
    const enters = mayEnter(policies, to, { kind: 'pod', labels: from.labels }, port)
    const [caller, door] = [from.name, `${to.name}:${port}`]
    if (wanted.has(door)) return leaves && enters ? [] : [`${caller} cannot reach ${door}`]
    return [
      ...(leaves ? [`${caller} may leave for ${door}`] : []),
      ...(enters && door !== publicDoor ? [`${door} lets ${caller} in`] : []),
    ]
  })
}

/** `host:port` of every address in the environment; stores inside the namespace are named by whoever has their URL. */
function addressesOf({ pod }: Workload, objects: readonly KubeObject[]): ReadonlySet<string> {
  const env = environmentOf(pod, objects)
  const urls = [...env].flatMap(([name, { value }]) =>
    /_URL$/.test(name) && value !== undefined ? [new URL(value).host] : [],
  )
  return new Set([
    ...urls,
    ...(env.has('DATABASE_URL') ? ['postgres:5432'] : []),
    ...(env.has('REDIS_URL') ? ['redis:6379'] : []),
  ])
}

function outsideProblems({ name, labels, pod }: Workload, objects: readonly KubeObject[]): string[] {
  const may = (ip: string, port: number) =>
    mayLeave(ofKind(objects, 'NetworkPolicy'), labels, { kind: 'address', ip }, port)
  const env = environmentOf(pod, objects)
  const holds = (host: string) => workloads(objects).some((workload) => workload.name === host)
  const isStore = (host: string, variable: string) => env.has(variable) && !holds(host)
  const store = [
    ...(may(privateStore, 5432) === isStore('postgres', 'DATABASE_URL') ? [] : ['Postgres']),
    ...(may(privateStore, 6379) === isStore('redis', 'REDIS_URL') ? [] : ['Redis']),
  ]
  return [
    ...forbidden.flatMap((ip) => ([80, 443, 8080].some((port) => may(ip, port)) ? [`${name} may reach ${ip}`] : [])),
    ...outside.flatMap((ip) => (may(ip, 443) === callsOutside.includes(name) ? [] : [`${name} and ${ip} do not fit`])),
    ...store.map((what) => `${name} and ${what} outside the namespace do not fit`),
  ]
}

function dnsProblems({ name, labels }: Workload, objects: readonly KubeObject[]): string[] {
  const dns: Far = { kind: 'elsewhere', namespace: 'kube-system', labels: { 'k8s-app': 'kube-dns' } }
  return mayLeave(ofKind(objects, 'NetworkPolicy'), labels, dns, 53) ? [] : [`${name} cannot resolve names`]
}
