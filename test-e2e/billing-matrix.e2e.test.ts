import { rm } from 'node:fs/promises'
import { endpoints } from '@ratchet/contracts/endpoints'
import { expectedOutcome } from './billing-matrix/expected-outcome.ts'
import {
  allCells,
  type Cell,
  excuses,
  isIn,
  nameOf,
  surfaces,
  tested,
  variants,
  wires,
} from './billing-matrix/matrix.ts'
import { outcomeOf } from './billing-matrix/outcome.ts'
import { writeOwnCatalog } from './billing-matrix/prices.ts'
import { runCell, type Seen } from './billing-matrix/run-cell.ts'
import { paths } from './billing-matrix/speak.ts'
import { createWorkspaceOpener, type WorkspaceOpener } from './billing-matrix/workspaces.ts'
import { type Fleet, startFleet } from './fleet.ts'

const cells = [...allCells().filter((cell) => tested.some((block) => isIn(block, cell))), ...variants]

let fleet: Fleet
let workspaces: WorkspaceOpener
let catalog: string
const runs = new Map<Cell, Promise<Seen>>()

beforeAll(async () => {
  catalog = await writeOwnCatalog()
  fleet = await startFleet({ evals: true, env: { CATALOG_DIR: catalog } })
  workspaces = await createWorkspaceOpener(fleet.databaseUrl)
  for (const wire of wires) startLane(cells.filter((cell) => cell.wire === wire))
}, 300_000)

afterAll(async () => {
  await Promise.allSettled(runs.values())
  await workspaces?.close()
  await fleet?.stop()
  await rm(catalog, { recursive: true, force: true })
}, 180_000)

/** Cells of one wire format run one after the other, so that all of its calls belong to one cell. */
function startLane(lane: readonly Cell[]): void {
  let before: Promise<unknown> = Promise.resolve()
  for (const cell of lane) {
    const run = before.then(() => runCell({ fleet, workspaces }, cell))
    before = run.catch(() => undefined)
    runs.set(cell, run)
  }
}

describe('the matrix', () => {
  it('has a test or a reason for every cell', () => {
    const counts = allCells().map((cell) => [
      nameOf(cell),
      tested.filter((block) => isIn(block, cell)).length +
        Math.min(1, excuses.filter((each) => isIn(each, cell)).length),
    ])
    expect(counts.filter(([, count]) => count !== 1)).toEqual([])
  })

  it('has no reason without a cell', () => {
    expect(excuses.filter((excuse) => !allCells().some((cell) => isIn(excuse, cell)))).toEqual([])
  })

  it('has every endpoint that charges', () => {
    const asked = endpoints.filter(({ answerHeaders }) => answerHeaders.includes('costUsd')).map(({ path }) => path)
    expect([...new Set(surfaces.map((surface) => paths[surface]))].sort()).toEqual(
      asked.filter((path) => path !== '/v2/rerank').sort(),
    )
  })
})

it.each(cells.map((cell) => [nameOf(cell), cell] as const))(
  '%s',
  async (_name, cell) => {
    const seen = await (runs.get(cell) ?? Promise.reject(new Error('never ran')))
    expect(outcomeOf(cell, seen)).toEqual(expectedOutcome(cell, seen))
  },
  180_000,
)
