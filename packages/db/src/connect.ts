import { PrismaPg } from '@prisma/adapter-pg'
import { type ConnectOptions, connectPool } from './connect-pool.ts'
import { PrismaClient } from './generated/client.ts'

/** Prisma's client with its own pool. Narrow it to the owner's tables with the types of `ownership.ts`. */
export function connectPrisma(options: ConnectOptions): PrismaClient {
  return new PrismaClient({ adapter: new PrismaPg(connectPool(options), { disposeExternalPool: true }) })
}
