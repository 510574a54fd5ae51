import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import { connectPrisma } from './connect.ts'
import { connectPool } from './connect-pool.ts'
import { Prisma } from './generated/client.ts'

let database: FreshDatabase
beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database.drop())

it.each(Object.values(Prisma.ModelName))(
  '%s can be read: the Prisma schema and the migrations agree',
  async (model) => {
    const db = connectPrisma({ databaseUrl: database.url, max: 1 })
    const delegates = db as unknown as Record<string, { findFirst(): Promise<unknown> } | undefined>
    const delegate = delegates[model[0]?.toLowerCase() + model.slice(1)]

    await expect(delegate?.findFirst()).resolves.toBeDefined()

    await db.$disconnect()
  },
)

it('has a Prisma model for every table, so that every table has an owner', async () => {
  const pool = connectPool({ databaseUrl: database.url, max: 1 })
  const { rows } = await pool.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
     WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition AND relname <> 'schema_migration'
     ORDER BY 1`,
  )
  await pool.end()

  const models = Object.values(Prisma.ModelName).map((model) => tableOf(model))
  expect(rows.map(({ name }) => name)).toEqual(models.sort())
})

it.each(Object.values(Prisma.ModelName))('%s has the columns, types and nulls of its table in Row', async (model) => {
  const pool = connectPool({ databaseUrl: database.url, max: 1 })
  const { rows } = await pool.query<{ name: string; type: string; nullable: boolean }>(
    `SELECT column_name AS name, udt_name AS type, is_nullable = 'YES' AS nullable FROM information_schema.columns
     WHERE table_schema = 'public' AND table_name = $1 AND is_generated = 'NEVER'`,
    [tableOf(model)],
  )
  await pool.end()

  const columns = columnsOf(model)
  expect(Object.keys(columns).sort()).toEqual(rows.map(({ name }) => name).sort())
  for (const { name, type, nullable } of rows) {
    const column = columns[name]
    // Lists of Prisma are never null.
    const isNull = column?.modifier === '[]' ? nullable : column?.modifier === '?'
    const types = typesOf(column?.type ?? '')
    expect({ name, nullable: isNull, type }).toEqual({ name, nullable, type: expect.stringMatching(types) })
  }
})

interface SchemaColumn {
  readonly type: string
  readonly modifier: string
}

const folder = path.join(import.meta.dirname, '..', 'prisma', 'schema')
const schema = globSync('*.prisma', { cwd: folder })
  .map((file) => readFileSync(path.join(folder, file), 'utf8'))
  .join('\n')

/** The fields of a model, without its relations, by the name that `Row` gives them. */
function columnsOf(model: string): Readonly<Record<string, SchemaColumn>> {
  const [, body = ''] = new RegExp(`^model ${model} \\{([\\s\\S]*?)^\\}`, 'm').exec(schema) ?? []
  const fields = [...body.matchAll(/^ {2}(\w+) +(\w+)(\?|\[\])?/gm)]
  return Object.fromEntries(
    fields
      .filter(([, , type = '']) => !Object.keys(Prisma.ModelName).includes(type))
      .map(([, field = '', type = '', modifier = '']) => [snakeCase(field), { type, modifier }]),
  )
}

const enums: Readonly<Record<string, string>> = Object.fromEntries(
  [...schema.matchAll(/^enum (\w+) \{[\s\S]*?@@map\("(\w+)"\)/gm)].map(([, name, type]) => [name, type]),
)

/** The types of Postgres for which `Row` has the right type of JavaScript. */
function typesOf(type: string): RegExp {
  const own: Readonly<Record<string, string>> = {
    String: 'text|uuid|varchar|bpchar|citext',
    Int: 'int4|int2',
    BigInt: 'int8',
    Float: 'float8|float4',
    Boolean: 'bool',
    DateTime: 'timestamptz|date',
    Bytes: 'bytea',
    Json: 'json|jsonb',
  }
  return new RegExp(`^_?(${own[type] ?? enums[type]})$`)
}

/** Tables are the models in snake case; `user` is a word of SQL. */
function tableOf(model: string): string {
  const table = snakeCase(`${model[0]?.toLowerCase()}${model.slice(1)}`)
  return table === 'user' ? 'app_user' : table
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
