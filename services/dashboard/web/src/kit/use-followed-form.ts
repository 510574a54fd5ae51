import type { UseFormReturnType } from '@mantine/form'
import { useEffect, useRef } from 'react'

/**
 * Lets a form follow values that others change on the server while it is open: fields that nobody has touched take the new values, and
 * what is typed stays.
 */
export function useFollowedForm<Values extends Record<string, unknown>>(
  form: UseFormReturnType<Values>,
  newest: Values,
): void {
  const text = JSON.stringify(newest)
  const followed = useRef(text)
  useEffect(() => {
    if (followed.current === text) return
    followed.current = text
    const untouched = Object.keys(newest).filter((name) => !form.isDirty(name))
    form.setInitialValues(newest)
    form.setValues(Object.fromEntries(untouched.map((name) => [name, newest[name]])) as Partial<Values>)
  })
}
