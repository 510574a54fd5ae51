import { environmentOf } from '../environment.ts'
import { type KubeObject, ofKind, type Workload, workloads } from '../kube-object.ts'
import { egressAllowed, ingressAllowed, type Peer } from '../network-reach.ts'

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
const outside = ['8.8.8.8']
/** Reached only where components/ipv6-egress opens them. */
const outsideOverIpv6 = ['2606:4700::1111', '2a00:1450:4001::1']
/** Public addresses that may be those of nodes and pods; the prefix is reserved for documents. */
const ownIpv6 = '2001:db8::1'
/** Private addresses, and those that stand for the stores in `prod`. */
const stores = { Postgres: ['10.20.30.40', '198.18.0.10'], Redis: ['10.20.30.40', '198.18.0.20'] }
/** The ports that every client may reach: the gateway and the voice interface. */
export const publicEndpoints: ReadonlySet<string> = new Set(['edge:8080', 'edge:8098'])
/** Processes that call the public internet: LLM providers, receivers of webhooks, and tools. */
const callsOutside = [
  'inference',
  'alias-worker',
  'eval-worker',
  'training',
  'training-worker',
  'voice',
  'voice-worker',
]

/** Checks that a process may connect exactly to the addresses that its environment names. */
export function networkProblems(objects: readonly KubeObject[]): readonly string[] {
  const policies = ofKind(objects, 'NetworkPolicy')
  const all = workloads(objects)
  const denies = policies.some(({ spec }) => {
    const isAll = Object.keys(spec?.podSelector ?? {}).length === 0
    const isBoth = ['Ingress', 'Egress'].every((type) => (spec?.policyTypes ?? []).some((it) => it === type))
    return isAll && isBoth && spec?.ingress === undefined && spec?.egress === undefined
  })
  return [
    ...(denies ? [] : ['no NetworkPolicy denies all traffic by default']),
    ...all.flatMap((from) => [
      ...all.flatMap((to) => betweenProblems({ from, to, objects })),
      ...outsideProblems(from, objects),
      ...dnsProblems(from, objects),
    ]),
    ...all
      .filter(({ name }) => name === 'edge')
      .flatMap((edge) => {
        const client: Peer = { kind: 'address', ip: '203.0.113.9' }
        return [
          ...(ingressAllowed(policies, edge, client, 8080) ? [] : ['clients cannot reach the edge']),
          ...(ingressAllowed(policies, edge, client, 9090) ? ['the metrics of the edge are public'] : []),
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
  const expected = addressesOf(from, objects)
  const ports = to.pod.containers
    .flatMap((container) => container.ports ?? [])
    .map(({ containerPort }) => containerPort)
  return ports.flatMap((port) => {
    const leaves = egressAllowed(policies, from.labels, { kind: 'pod', labels: to.labels }, port)
    const enters = ingressAllowed(policies, to, { kind: 'pod', labels: from.labels }, port)
    const [caller, endpoint] = [from.name, `${to.name}:${port}`]
    if (expected.has(endpoint)) return leaves && enters ? [] : [`${caller} cannot reach ${endpoint}`]
    return [
      ...(leaves ? [`${caller} may connect to ${endpoint}`] : []),
      ...(enters && !publicEndpoints.has(endpoint) ? [`${endpoint} accepts connections from ${caller}`] : []),
    ]
  })
}

/** `host:port` of every address in the environment. A process that has the URL of a store may reach it in the namespace. */
function addressesOf({ pod }: Workload, objects: readonly KubeObject[]): ReadonlySet<string> {
  const env = environmentOf(pod, objects)
  const urls = [...env].flatMap(([name, { value }]) =>
    /_URL$/.test(name) && value !== undefined ? [endpointOf(new URL(value), objects)] : [],
  )
  return new Set([
    ...urls,
    ...(env.has('DATABASE_URL') ? ['postgres:5432'] : []),
    ...(env.has('REDIS_URL') ? ['redis:6379'] : []),
  ])
}

/** The pods behind the name of a Service, which may differ from theirs. */
function endpointOf({ hostname, port }: URL, objects: readonly KubeObject[]): string {
  const service = ofKind(objects, 'Service').find(({ metadata }) => metadata.name === hostname)
  return `${service?.spec?.selector?.['app.kubernetes.io/name'] ?? hostname}:${port}`
}

function outsideProblems({ name, labels, pod }: Workload, objects: readonly KubeObject[]): string[] {
  const may = (ip: string, port: number) =>
    egressAllowed(ofKind(objects, 'NetworkPolicy'), labels, { kind: 'address', ip }, port)
  const callsOut = callsOutside.includes(name)
  const env = environmentOf(pod, objects)
  const holds = (host: string) => workloads(objects).some((workload) => workload.name === host)
  const isStore = (host: string, variable: string) => env.has(variable) && !holds(host)
  const mayAny = (ips: readonly string[], port: number) => ips.some((ip) => may(ip, port))
  const store = [
    ...(mayAny(stores.Postgres, 5432) === isStore('postgres', 'DATABASE_URL') ? [] : ['Postgres']),
    ...(mayAny(stores.Redis, 6379) === isStore('redis', 'REDIS_URL') ? [] : ['Redis']),
  ]
  const isOpen = (ip: string) => [443, 5432, 6379, 8080].some((port) => may(ip, port))
  return [
    ...forbidden.flatMap((ip) => ([80, 443, 8080].some((port) => may(ip, port)) ? [`${name} may reach ${ip}`] : [])),
    ...(isOpen(ownIpv6) ? [`${name} may reach ${ownIpv6}, which stands for the cluster's own addresses`] : []),
    ...(hasIpv6(objects) ? [] : outsideOverIpv6.filter(isOpen).map((ip) => `${name} may reach ${ip}, over IPv6`)),
    ...outside.flatMap((ip) =>
      may(ip, 443) === callsOut ? [] : [`${name} must ${callsOut ? '' : 'not '}be able to reach ${ip}`],
    ),
    ...(hasIpv6(objects) ? outsideOverIpv6 : []).flatMap((ip) =>
      may(ip, 443) === callsOutside.includes(name)
        ? []
        : [`${name} must ${callsOutside.includes(name) ? '' : 'not '}be able to reach ${ip}`],
    ),
    ...store.map((what) => `egress of ${name} to ${what} outside the namespace does not match its settings`),
  ]
}

function hasIpv6(objects: readonly KubeObject[]): boolean {
  return ofKind(objects, 'NetworkPolicy').some(({ metadata }) => metadata.name === 'to-outside-ipv6')
}

function dnsProblems({ name, labels }: Workload, objects: readonly KubeObject[]): string[] {
  const dns: Peer = { kind: 'elsewhere', namespace: 'kube-system', labels: { 'k8s-app': 'kube-dns' } }
  return egressAllowed(ofKind(objects, 'NetworkPolicy'), labels, dns, 53) ? [] : [`${name} cannot resolve names`]
}
