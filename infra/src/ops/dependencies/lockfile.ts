import { parse } from 'yaml'
import { z } from 'zod'

const Versions = z.record(z.string(), z.string()).optional()
const Importer = z.record(z.string(), z.object({ version: z.string() })).optional()

/** The part of `pnpm-lock.yaml` that is read here. */
const Lockfile = z.object({
  lockfileVersion: z.literal('9.0'),
  /** The packages of this repository, by folder. */
  importers: z.record(z.string(), z.object({ dependencies: Importer, optionalDependencies: Importer })),
  /** What was published, by name and version. */
  packages: z.record(
    z.string(),
    z.object({
      resolution: z.object({ integrity: z.string().optional() }),
      os: z.array(z.string()).optional(),
      cpu: z.array(z.string()).optional(),
      libc: z.array(z.string()).optional(),
    }),
  ),
  /** What each package depends on, by its name, its version and the versions of its peers. */
  snapshots: z.record(z.string(), z.object({ dependencies: Versions, optionalDependencies: Versions })),
})
export type Lockfile = z.infer<typeof Lockfile>

/** A package that production code depends on. */
export interface LockedPackage {
  readonly name: string
  readonly version: string
  /** The hash of its archive as npm writes it, `sha512-…`. */
  readonly integrity: string | null
  /** True for a build for some machines only; other machines do not install it. */
  readonly isForSomeMachines: boolean
  /** Keys of the packages that it depends on, in {@link ProductionTree.packages}. */
  readonly needs: readonly string[]
}

/** A package of this repository. */
export interface OwnPackage {
  /** Its folder, `packages/db`. */
  readonly folder: string
  /** Folders of the packages of this repository that it depends on. */
  readonly own: readonly string[]
  /** Keys of the other packages that it depends on. */
  readonly needs: readonly string[]
}

/** Everything that the production code of some folders depends on. */
export interface ProductionTree {
  readonly own: readonly OwnPackage[]
  /** The packages of other projects, by name and version, in the order of the keys. */
  readonly packages: ReadonlyMap<string, LockedPackage>
}

/** @throws Error for a lockfile of another version of pnpm */
export function parseLockfile(text: string): Lockfile {
  return Lockfile.parse(parse(text))
}

/** Follows the dependencies of folders of the workspace, without those for development. */
export function productionTree(lockfile: Lockfile, folders: readonly string[]): ProductionTree {
  const own = new Map<string, OwnPackage>()
  const snapshots = new Map<string, LockedPackage>()
  const waiting = [...folders]
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    if (own.has(folder)) continue
    const found = ownPackage(lockfile, folder)
    own.set(folder, { ...found, needs: found.needs.map(keyOf) })
    waiting.push(...found.own)
    for (const snapshot of found.needs) addSnapshot(lockfile, snapshot, snapshots)
  }
  const packages = new Map<string, LockedPackage>()
  for (const [snapshot, found] of [...snapshots].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const key = keyOf(snapshot)
    const needs = new Set([...(packages.get(key)?.needs ?? []), ...found.needs])
    packages.set(key, { ...found, needs: [...needs].toSorted() })
  }
  return { own: [...own.values()].toSorted((a, b) => (a.folder < b.folder ? -1 : 1)), packages }
}

function ownPackage({ importers, snapshots }: Lockfile, folder: string): OwnPackage {
  const importer = importers[folder]
  if (importer === undefined) throw new Error(`The lockfile has no folder ${folder}`)
  const own: string[] = []
  const needs: string[] = []
  for (const [name, { version }] of Object.entries({ ...importer.dependencies, ...importer.optionalDependencies })) {
    if (version.startsWith('link:')) own.push(linkedFolder(folder, version.slice(5)))
    else needs.push(snapshotKey(snapshots, name, version))
  }
  return { folder, own: own.toSorted(), needs: needs.toSorted() }
}

function linkedFolder(folder: string, link: string): string {
  return new URL(link, `file:///${folder}/`).pathname.slice(1)
}

function addSnapshot(lockfile: Lockfile, first: string, into: Map<string, LockedPackage>): void {
  const waiting = [first]
  for (let snapshot = waiting.pop(); snapshot !== undefined; snapshot = waiting.pop()) {
    if (into.has(snapshot)) continue
    const { dependencies, optionalDependencies } = lockfile.snapshots[snapshot] ?? {}
    const needs = Object.entries({ ...dependencies, ...optionalDependencies }).map(([name, version]) =>
      snapshotKey(lockfile.snapshots, name, version),
    )
    into.set(snapshot, lockedPackage(lockfile, snapshot, needs.map(keyOf)))
    waiting.push(...needs)
  }
}

function lockedPackage({ packages }: Lockfile, snapshot: string, needs: readonly string[]): LockedPackage {
  const key = keyOf(snapshot)
  const at = key.lastIndexOf('@')
  const locked = packages[key]
  if (locked === undefined) throw new Error(`The lockfile has no package ${key}`)
  return {
    name: key.slice(0, at),
    version: key.slice(at + 1),
    integrity: locked.resolution.integrity ?? null,
    isForSomeMachines: locked.os !== undefined || locked.cpu !== undefined || locked.libc !== undefined,
    needs,
  }
}

/** The key of a dependency. One that is installed under another name has its own name in its version. */
function snapshotKey(snapshots: Lockfile['snapshots'], name: string, version: string): string {
  return version in snapshots ? version : `${name}@${version}`
}

/** Name and version, without the versions of peers. */
function keyOf(snapshot: string): string {
  return snapshot.split('(')[0] ?? snapshot
}
