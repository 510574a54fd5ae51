import { createSchemaChecks } from './schema-checks.ts'

/** Runs in a thread with little memory: compiles ever new schemas. */
const { problem } = createSchemaChecks()
const names = Array.from({ length: 60 }, (_, index) => index)
for (let made = 0; made < 2_000; made += 1) {
  const properties = Object.fromEntries(
    names.map((name) => [`p${made}-${name}`, { enum: [`a${made}`, { made }], description: 'd'.repeat(200) }]),
  )
  if (problem({ properties }) !== null) throw new Error('a schema that cannot be used')
}
