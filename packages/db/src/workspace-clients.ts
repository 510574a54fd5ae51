import { PrismaPg } from '@prisma/adapter-pg'
import type { Pool } from './connect-pool.ts'
import { type Prisma, PrismaClient } from './generated/client.ts'
import type { Table } from './row.ts'

/** Tables with a workspace id in each row and without relations to other tables. */
type WorkspaceTable = {
  [T in Table]: 'workspaceId' extends keyof Payload<T>['scalars']
    ? keyof Payload<T>['objects'] extends never
      ? T
      : never
    : never
}[Table]

type Payload<T extends Table> = Prisma.TypeMap['model'][Capitalize<T>]['payload']

/** Prisma's client, restricted to the rows of one workspace. */
export type WorkspaceClient = Pick<PrismaClient, WorkspaceTable>

/** @returns the client of a workspace; cheap, so create it for each use */
export type WorkspaceClients = (workspaceId: string) => WorkspaceClient

/**
 * Prisma's client with a service's own pool and the rights of that pool's role. Every read and write is restricted to the
 * workspace; writing a row of another one is an error. Services have the client only through this function, so their
 * queries through Prisma need no other check.
 */
export function createWorkspaceClients(pool: Pool): WorkspaceClients {
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool, { disposeExternalPool: false }) })
  return (workspaceId) =>
    prisma.$extends({
      query: {
        $allModels: {
          $allOperations: ({ operation, args, query }) => query(restrict(operation, args, workspaceId) as typeof args),
        },
      },
    }) as unknown as WorkspaceClient
}

interface Args {
  readonly where?: object
  readonly data?: object | readonly object[]
  readonly create?: object
  readonly update?: object
}

/** Operations that only add rows. All others have a condition, possibly an empty one. */
const adding: readonly string[] = ['create', 'createMany', 'createManyAndReturn']

function restrict(operation: string, args: Args, workspaceId: string): Args {
  const { data, create, update, where } = args
  const added = adding.includes(operation) ? [data] : [create]
  const changed = adding.includes(operation) ? [] : [data, update]
  for (const row of added.flat()) {
    if (row !== undefined && workspaceOf(row) !== workspaceId) throw new Error(refusal)
  }
  for (const row of [...changed.flat(), where]) {
    if (row !== undefined && ![undefined, workspaceId].includes(workspaceOf(row))) throw new Error(refusal)
  }
  return adding.includes(operation) ? args : { ...args, where: { ...where, workspaceId } }
}

const refusal = "a query of one workspace's client names another workspace"

function workspaceOf(row: object): string | undefined {
  return (row as { readonly workspaceId?: string }).workspaceId
}
