import { isUniqueViolation } from './is-unique-violation.ts'

/** Stores something with a name. @returns `name` when something else of the same scope has it */
export async function withUniqueName<T>(store: () => Promise<T>): Promise<T | 'name'> {
  try {
    return await store()
  } catch (error) {
    if (isUniqueViolation(error)) return 'name'
    throw error
  }
}
