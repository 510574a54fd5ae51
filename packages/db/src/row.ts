import type { Prisma } from './generated/client.ts'

/** A table, by the name of its model. */
export type Table = Uncapitalize<Prisma.ModelName>

/**
 * A row of a table as `pg` returns it to SQL, derived from Prisma's model: columns in snake case; `bigint` and `numeric`
 * are strings, `bytea` is a Buffer. Take the columns that a statement selects with `Pick`.
 *
 * `Narrowed` gives columns a type that the database does not know, such as text of which a check constraint allows a few
 * values. It can only narrow: a column that does not exist, or that never has such a value, is refused.
 */
export type Row<T extends Table, Narrowed extends NarrowedColumns<T, Narrowed> = object> = {
  readonly [Column in keyof Columns<T>]: Column extends keyof Narrowed ? Narrowed[Column] : Columns<T>[Column]
}

/** A row of a table as Prisma's client returns it. */
export type Model<T extends Table> = Readonly<Prisma.TypeMap['model'][Capitalize<T>]['payload']['scalars']>

type NarrowedColumns<T extends Table, Narrowed> = {
  [Column in keyof Narrowed]: Column extends keyof Columns<T> ? Columns<T>[Column] : never
}

type Columns<T extends Table> = {
  [Field in keyof Fields<T> as SnakeCase<Field & string>]: ColumnValue<Fields<T>[Field]>
}

type Fields<T extends Table> = Prisma.TypeMap['model'][Capitalize<T>]['payload']['scalars']

/** `createdAt` → `created_at`: how the schema maps every field, which a test checks. */
type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Name

type ColumnValue<Value> = Value extends bigint
  ? string
  : Value extends Uint8Array
    ? Buffer
    : Value extends readonly (infer Item)[]
      ? readonly Item[]
      : Value
