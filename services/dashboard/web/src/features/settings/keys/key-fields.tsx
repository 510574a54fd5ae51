import { NumberInput, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { ReactNode } from 'react'
import type { KeyValues } from './key-limits.ts'

/** The name of a key and what it may send in a minute. */
export function KeyFields({ form }: { readonly form: UseFormReturnType<KeyValues> }): ReactNode {
  return (
    <>
      <TextInput label="Name" description="What will use it." data-autofocus required {...form.getInputProps('name')} />
      <NumberInput
        label="Requests per minute"
        description="Empty for no limit."
        min={1}
        hideControls
        {...form.getInputProps('requests_per_minute')}
      />
      <NumberInput
        label="Tokens per minute"
        description="Empty for no limit."
        min={1}
        hideControls
        {...form.getInputProps('tokens_per_minute')}
      />
    </>
  )
}
