import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import fc from 'fast-check'
import { type BinaryType, bigintArray, binaryArray, binaryTypes } from './pg-binary-arrays.ts'

let database: FreshDatabase
let pool: Pool

beforeAll(async () => {
  database = await freshDatabase()
  pool = connectPool({ databaseUrl: database.url, max: 1 })
})

afterAll(async () => {
  await pool.end()
  await database.drop()
})

const text = fc.string({ unit: 'grapheme' }).map((value) => value.replaceAll('\0', '').toWellFormed())

it.each<[keyof typeof binaryTypes, fc.Arbitrary<unknown>]>([
  ['boolean', fc.boolean()],
  ['integer', fc.integer()],
  ['bigint', fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })],
  ['double precision', fc.double({ noNaN: true })],
  ['timestamptz', fc.date({ min: new Date('1970-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })],
  ['uuid', fc.uuid()],
  ['text', text],
  ['bytea', fc.uint8Array().map((bytes) => Buffer.from(bytes))],
])('Postgres reads an array of %s as its values', async (name, value) => {
  const type = binaryTypes[name] as BinaryType<unknown>
  await fc.assert(
    fc.asyncProperty(fc.array(fc.option(value), { maxLength: 20 }), async (values) => {
      const statement = { text: `SELECT $1::${name}[] AS array`, values: [binaryArray(type, values)] }
      const { rows } = await pool.query(statement)
      const read = name === 'bigint' ? rows[0].array.map((each: string | null) => each && BigInt(each)) : rows[0].array
      expect(read).toEqual(values)
    }),
    { numRuns: 50 },
  )
})

it('Postgres reads lists of big integers as one array', async () => {
  const lists = [[1n, -1n], [], [2n ** 63n - 1n, -(2n ** 63n), 4_294_967_296n]].map((list) => BigInt64Array.from(list))
  const { rows } = await pool.query({ text: 'SELECT $1::bigint[] AS array', values: [bigintArray(lists)] })
  expect(rows[0].array.map(BigInt)).toEqual(lists.flatMap((list) => [...list]))
})
