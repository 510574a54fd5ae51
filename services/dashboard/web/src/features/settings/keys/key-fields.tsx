import { NumberInput, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { ReactNode } from 'react'
import type { KeyValues } from './key-limits.ts'

/** The name of a key, what it may send in a minute, how long it works, and for which models. */
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
      <TextInput
        type="date"
        label="Expires"
        description="At the beginning of this day (UTC); empty for never."
        {...form.getInputProps('expires')}
      />
      <TextInput
        label="Models"
        description="Models and aliases that it may call, such as openai/*, support. Empty for all."
        {...form.getInputProps('models')}
      />
    </>
  )
}
