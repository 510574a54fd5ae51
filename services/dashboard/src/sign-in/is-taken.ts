/** Whether an error of Prisma says that a value that must be unique exists already. */
export function isTaken(error: unknown): boolean {
  return error instanceof Error && (error as Error & { readonly code?: unknown }).code === 'P2002'
}
