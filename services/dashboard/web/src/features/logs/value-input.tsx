import { Autocomplete } from '@mantine/core'
import { logValues, valueFields } from '@ratchet/contracts/log-overview'
import type { ReactNode } from 'react'
import { useEndpoint } from '../../api/use-endpoint.ts'
import type { OwnFieldProps } from '../../kit/filters/filter-bar.tsx'
import { useTypedText } from '../../kit/filters/use-typed-text.ts'

/** A filter that offers the values which occur in the traffic. Any other value can be typed. */
function ValueInput({ name, label, value, onChange }: OwnFieldProps): ReactNode {
  const typed = useTypedText(value, onChange)
  const values = useEndpoint(logValues, { query: { field: name } }).data?.values ?? []
  return (
    <Autocomplete
      label={label}
      data={values.map((each) => each.value)}
      value={typed.text}
      onChange={typed.setText}
      onOptionSubmit={onChange}
      onBlur={typed.send}
      onKeyDown={({ key }) => key === 'Enter' && typed.send()}
      comboboxProps={{ withinPortal: false }}
    />
  )
}

/** The filters whose values are offered. */
export const valueInputs = Object.fromEntries(valueFields.map((name) => [name, ValueInput] as const))
