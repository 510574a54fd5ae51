/**
 * The tests' Postgres, from `TEST_DATABASE_URL`. Its login may create databases and roles.
 *
 * @throws Error that says what to do when the variable is missing.
 */
export function testDatabaseUrl(): string {
  return fromEnvironment('TEST_DATABASE_URL', 'postgres://user:password@127.0.0.1:5432/postgres')
}

/**
 * The tests' Redis, from `TEST_REDIS_URL`.
 *
 * @throws Error that says what to do when the variable is missing.
 */
export function testRedisUrl(): string {
  return fromEnvironment('TEST_REDIS_URL', 'redis://127.0.0.1:6379')
}

function fromEnvironment(name: 'TEST_DATABASE_URL' | 'TEST_REDIS_URL', example: string): string {
  // biome-ignore lint/style/noProcessEnv: the test runner passes on its servers by these variables
  const value = process.env[name]
  if (value === undefined || value === '') {
    throw new Error(
      `${name} is not set: run the file with \`jest\`, which starts the server, or set it to e.g. ${example}`,
    )
  }
  return value
}
