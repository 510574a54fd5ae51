import { Autocomplete } from '@mantine/core'
import { logValues, valueFields } from '@ratchet/contracts/log-overview'
import { type ReactNode, useState } from 'react'
import { useEndpoint } from '../../api/use-endpoint.ts'
import type { OwnFieldProps } from '../../kit/filters/filter-bar.tsx'

/** A filter that offers the values which occur in the traffic. Any other value can be typed. */
function ValueInput({ name, label, value, onChange }: OwnFieldProps): ReactNode {
  const [text, setText] = useState(value)
  const values = useEndpoint(logValues, { query: { field: name } }).data?.values ?? []
  return (
    <Autocomplete
      label={label}
      data={values.map((each) => each.value)}
      value={text}
      onChange={setText}
      onOptionSubmit={onChange}
      onBlur={() => text.trim() !== value && onChange(text.trim())}
      onKeyDown={({ key }) => key === 'Enter' && onChange(text.trim())}
      comboboxProps={{ withinPortal: false }}
    />
  )
}

/** The filters whose values are offered. */
export const valueInputs = Object.fromEntries(valueFields.map((name) => [name, ValueInput] as const))
