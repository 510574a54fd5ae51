import { compare, valid } from 'semver'
import { z } from 'zod'
import { type Advisory, type Severity, severities } from './advisory.ts'

const Event = z.object({
  introduced: z.string().optional(),
  fixed: z.string().optional(),
  last_affected: z.string().optional(),
})
type Event = z.infer<typeof Event>

/** The part of a record of OSV that is read here. https://ossf.github.io/osv-schema/ */
const OsvRecord = z.object({
  id: z.string(),
  modified: z.string(),
  withdrawn: z.string().optional(),
  summary: z.string().optional(),
  affected: z
    .array(
      z.object({
        package: z.object({ ecosystem: z.string(), name: z.string() }).optional(),
        ranges: z.array(z.object({ type: z.string(), events: z.array(Event) })).optional(),
        versions: z.array(z.string()).optional(),
      }),
    )
    .optional(),
  database_specific: z.object({ severity: z.string().optional() }).optional(),
})
type OsvRecord = z.infer<typeof OsvRecord>

/** What a database says about the packages of a lockfile. */
export interface DatabaseAnswer {
  readonly advisories: readonly Advisory[]
  /** Number of records that were read. */
  readonly records: number
  /** When its newest record was changed, `2026-11-20`; null for an empty database. */
  readonly changedOn: string | null
}

/** The installed versions of each package, by its name. */
export type InstalledVersions = ReadonlyMap<string, readonly string[]>

/** Searches an export of OSV for the ecosystem npm. Other files are ignored. */
export async function searchDatabase(
  files: AsyncIterable<unknown>,
  installed: InstalledVersions,
): Promise<DatabaseAnswer> {
  const advisories: Advisory[] = []
  let records = 0
  let changedOn: string | null = null
  for await (const file of files) {
    const record = OsvRecord.safeParse(file)
    if (!record.success) continue
    records += 1
    const day = record.data.modified.slice(0, 10)
    if (changedOn === null || day > changedOn) changedOn = day
    advisories.push(...advisoriesOf(record.data, installed))
  }
  return { advisories, records, changedOn }
}

function advisoriesOf(record: OsvRecord, installed: InstalledVersions): readonly Advisory[] {
  if (record.withdrawn !== undefined) return []
  const names = new Set<string>()
  for (const { package: affected, ranges = [], versions = [] } of record.affected ?? []) {
    if (affected?.ecosystem !== 'npm') continue
    const isAffected = (version: string) =>
      versions.includes(version) || ranges.some(({ type, events }) => type === 'SEMVER' && isInRange(version, events))
    if (installed.get(affected.name)?.some(isAffected) === true) names.add(affected.name)
  }
  const title = record.summary ?? 'no summary'
  return [...names].map((name) => ({ id: record.id, name, severity: severityOf(record), title }))
}

/** Malware is critical. A vulnerability without a rating may be severe, so it fails an audit too. */
function severityOf({ id, database_specific: specific }: OsvRecord): Severity {
  if (id.startsWith('MAL-')) return 'critical'
  const rated = specific?.severity?.toLowerCase()
  return severities.find((severity) => severity === rated) ?? 'high'
}

/** Follows the events in the order of their versions. */
function isInRange(version: string, events: readonly Event[]): boolean {
  const changes = events
    .flatMap(({ introduced, fixed, last_affected: last }) => [
      ...(introduced === undefined
        ? []
        : [{ at: introduced === '0' ? '0.0.0-0' : introduced, from: true, after: false }]),
      ...(fixed === undefined ? [] : [{ at: fixed, from: false, after: false }]),
      ...(last === undefined ? [] : [{ at: last, from: false, after: true }]),
    ])
    .filter(({ at }) => valid(at) !== null)
    .toSorted((a, b) => compare(a.at, b.at))
  let isAffected = false
  for (const { at, from, after } of changes) {
    const order = compare(version, at)
    if (order > 0 || (order === 0 && !after)) isAffected = from
  }
  return isAffected
}
