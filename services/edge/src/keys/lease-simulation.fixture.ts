import { startSimulatedCommands } from './simulated-commands.fixture.ts'
import { createSimulatedDatabase, failOver } from './simulated-database.fixture.ts'
import { startSimulatedEdge } from './simulated-edge.fixture.ts'
import { createSimulatedWorld, type Mutation } from './simulated-world.fixture.ts'

/*
 * Edges, commands and a database in simulated time: statements and answers are late or lost, processes and virtual
 * machines freeze, clocks step and run at different speeds, the database fails over and loses commits. There is one key,
 * whose role is a number that grows with every change. Each rule of the protocol can be broken, to show that the
 * simulation notices it.
 */

export interface SimulationResult {
  /** Requests that were answered with a role that had been replaced before they started. */
  readonly stale: number
  readonly hits: number
  readonly reads: number
}

const simulatedMs = 60_000
const edges = 3

export function simulate(seed: number, mutation: Mutation | null): SimulationResult {
  const world = createSimulatedWorld(seed, mutation)
  const database = createSimulatedDatabase()
  for (let edge = 0; edge < edges; edge++) startSimulatedEdge(world, database, `edge-${edge}`)
  startSimulatedCommands(world, database)
  world.after(world.upTo(8_000), () => failOver(world, database))
  world.run(simulatedMs)
  const { stale, hits, reads } = world.counts
  return { stale, hits, reads }
}
