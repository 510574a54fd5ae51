/** One import as the rules look at it. */
export interface ImportEdge {
  /** Path of the importing file from the repository's folder, with `/`. */
  readonly file: string
  /** As written: `@ratchet/db/connect`, `../store/x.ts`, `express`. */
  readonly specifier: string
}

/** Which workspace packages a package may import; `testing` is added for tests everywhere. */
const allowedPackages: Readonly<Record<string, readonly string[]>> = {
  contracts: [],
  stats: [],
  telemetry: [],
  db: [],
  http: [],
  'service-kit': ['contracts', 'telemetry', 'http'],
  'judge-kit': ['contracts', 'http', 'service-kit'],
  'simulated-provider': ['testing'],
  testing: ['contracts', 'stats', 'service-kit', 'db'],
  cli: ['contracts', 'db', 'http', 'service-kit'],
  service: ['contracts', 'stats', 'telemetry', 'service-kit', 'judge-kit', 'db', 'http'],
  dashboard: ['contracts'],
  infra: ['contracts', 'stats', 'telemetry', 'service-kit', 'db', 'http', 'testing', 'simulated-provider', 'cli'],
  'test-e2e': ['contracts', 'service-kit', 'db', 'testing', 'simulated-provider', 'infra'],
  bench: ['contracts', 'db', 'testing', 'simulated-provider', 'infra'],
}

/** Packages that only tests, and what runs the fleet, may import. */
const testPackages = new Set(['testing', 'simulated-provider'])

/** They run services as wholes, so they may import a service's way in and nothing else of it. */
const mayStartServices = new Set(['infra', 'test-e2e', 'bench'])

/** Files of a service that put it together (start.ts, and start-ledger.ts where that grew too long). */
const compositionRoot = /^(start(-[a-z-]+)?|main|worker)\.ts$/

const ioModules = /^node:(fs|http|http2|https|net|tls|dgram|dns|child_process|worker_threads|cluster)(\/|$)/
const ioPackages = /^(express|bullmq|ioredis|pg|undici|http-proxy-middleware|@prisma\/.*|pino)(\/|$)/

/** Where a file lives and what kind of file it is. */
interface Place {
  /** `db`, `edge`, `infra`. */
  readonly name: string
  /** The row of {@link allowedPackages} that holds for it. */
  readonly row: string
  /** Folder of the package from the repository's folder. */
  readonly folder: string
  /** Path inside `src`, or inside the package where it has no `src`. */
  readonly inside: string
  readonly isService: boolean
  readonly isTest: boolean
}

/**
 * Says what is wrong with an import, or null when nothing is.
 *
 * @param services names of all services, to tell `@ratchet/edge` from a package
 */
export function checkImport({ file, specifier }: ImportEdge, services: ReadonlySet<string>): string | null {
  const place = placeOf(file)
  if (place === null) return null
  const problem = specifier.startsWith('@ratchet/')
    ? checkPackageImport(place, specifier, services)
    : checkOutsideImport(place, specifier)
  return problem ?? checkDomainImport(place, specifier)
}

/** Whether a package may depend on another one at all, for package.json. */
export function mayDepend(folder: string, dependency: string, kind: 'dependencies' | 'devDependencies'): boolean {
  const place = placeOf(`${folder}/package.json`)
  if (place === null) return true
  if (kind === 'devDependencies' && testPackages.has(dependency)) return true
  return (allowedPackages[place.row] ?? []).includes(dependency)
}

/** Whether this package may depend on services, to start them. */
export function mayDependOnServices(folder: string): boolean {
  return mayStartServices.has(folder)
}

function checkPackageImport(place: Place, specifier: string, services: ReadonlySet<string>): string | null {
  const [, target = '', ...rest] = specifier.split('/')
  if (target === place.name) return null
  if (services.has(target)) {
    if (!mayStartServices.has(place.name)) return `${place.name} must not import the service ${target}`
    return /^start(-worker)?$/.test(rest.join('/'))
      ? null
      : `only @ratchet/${target}/start may be imported from a service`
  }
  if (testPackages.has(target) && !place.isTest && !(allowedPackages[place.row] ?? []).includes(target)) {
    return `only tests may import @ratchet/${target}`
  }
  if (!testPackages.has(target) && !(allowedPackages[place.row] ?? []).includes(target)) {
    return `${place.name} must not import @ratchet/${target}`
  }
  const ownsStatements = place.inside.startsWith('store/') || compositionRoot.test(place.inside) || place.isTest
  if (place.isService && target === 'db' && !ownsStatements) return 'only store/ and start.ts may import @ratchet/db'
  return null
}

function checkOutsideImport(place: Place, specifier: string): string | null {
  if (!specifier.startsWith('.')) return null
  const path = resolve(`${place.folder}/src/${place.inside}`, specifier)
  const target = path.startsWith(`${place.folder}/src/`) ? path.slice(place.folder.length + 5) : null
  if (!path.startsWith(`${place.folder}/`)) return 'a relative import must not leave its package'
  if (!place.isService || place.isTest) return null
  if (isTestFile(path)) return 'only tests may import what is made for tests'
  if (target === null) return null
  const fromStore = place.inside.startsWith('store/') || compositionRoot.test(place.inside)
  if (target.startsWith('store/') && !fromStore) return 'only start.ts may import store/'
  if (compositionRoot.test(target) && !compositionRoot.test(place.inside)) return `nothing may import ${target}`
  return null
}

/** domain/ decides: values in, values out. */
function checkDomainImport(place: Place, specifier: string): string | null {
  if (!place.isService || !place.inside.startsWith('domain/') || place.isTest) return null
  if (ioModules.test(specifier) || ioPackages.test(specifier)) return `domain/ does no I/O, so not ${specifier}`
  if (/^@ratchet\/(?!contracts\/|stats\/|service-kit\/service-error$|judge-kit\/prompt\/)/.test(specifier)) {
    return `domain/ may import contracts, stats, prompts and ServiceError, not ${specifier}`
  }
  return null
}

function placeOf(file: string): Place | null {
  const match = /^((packages|services)\/([^/]+)|infra|test-e2e|bench)\/(.+)$/.exec(file)
  const [, folder = '', group, member, path = ''] = match ?? []
  if (match === null) return null
  const name = member ?? folder
  const isService = group === 'services' && name !== 'dashboard'
  const inside = path.startsWith('src/') ? path.slice(4) : path
  return { name, row: isService ? 'service' : name, folder, inside, isService, isTest: isTestFile(file) }
}

/**
 * Tests, what only tests use, and the crash harness, which is one.
 *
 * @param file path from the repository's folder
 */
export function isTestFile(file: string): boolean {
  return /\.(test|contract|fixture)\.ts$|^services\/[^/]+\/(crash\/|.*\/test-[^/]+\.ts$)/.test(file)
}

function resolve(from: string, specifier: string): string {
  const parts = from.split('/').slice(0, -1)
  for (const part of specifier.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '.') parts.push(part)
  }
  return parts.join('/')
}
