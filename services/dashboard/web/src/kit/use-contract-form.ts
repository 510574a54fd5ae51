import { type UseFormInput, type UseFormReturnType, useForm } from '@mantine/form'
import { zod4Resolver } from 'mantine-form-zod-resolver'
import type { z } from 'zod'
import { ApiError } from '../api/api-error.ts'

/**
 * A form whose values are the body of an endpoint: the contract's schema checks it, with the sentences that the server would answer.
 */
export function useContractForm<Values extends Record<string, unknown>>(
  schema: z.ZodType,
  initialValues: Values,
  options: Omit<UseFormInput<Values>, 'initialValues' | 'validate'> = {},
): UseFormReturnType<Values> {
  return useForm<Values>({
    mode: 'controlled',
    ...options,
    initialValues,
    validate: zod4Resolver(schema) as never,
  })
}

/** Shows an error of the server at the field that it names. */
export function showErrorAt<Values extends Record<string, unknown>>(
  form: UseFormReturnType<Values>,
  error: unknown,
): void {
  if (error instanceof ApiError && error.param !== null && error.param in form.values) {
    form.setFieldError(error.param as never, error.message)
  }
}
