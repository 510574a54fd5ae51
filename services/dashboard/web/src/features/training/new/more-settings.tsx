import { Select, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { Card } from '../../../kit/page.tsx'
import styles from '../training.module.css'
import type { JobField } from './job-values.ts'
import { type Setting, settingsOf } from './settings.ts'
import type { StepProps } from './step-props.ts'

/** Settings that have good defaults, which are shown in the fields. */
export function MoreSettings(props: StepProps): ReactNode {
  const { values, problems, model } = props
  const [isOpened, setIsOpened] = useState(false)
  const settings = settingsOf(values, model)
  const hasProblem = settings.some(({ field }) => problems[field] !== undefined)
  return (
    <Card title="3. Settings">
      <details
        className={styles.more}
        open={isOpened || hasProblem}
        onToggle={({ currentTarget }) => setIsOpened(currentTarget.open)}
      >
        <summary>More</summary>
        <div className={styles.fields}>
          {settings.map((setting) => (
            <Field key={setting.field} {...props} setting={setting} />
          ))}
        </div>
      </details>
      {!isOpened && <p className="dimmed">{summaryOf(settings, values)}</p>}
    </Card>
  )
}

function summaryOf(settings: readonly Setting[], values: StepProps['values']): string {
  const changed = settings.filter(({ field, standard }) => values[field] !== (standard ?? ''))
  return changed.length === 0
    ? 'All settings have their defaults, which fit most data.'
    : `Changed: ${changed.map(({ label, field }) => `${label.toLowerCase()} ${values[field]}`).join(', ')}.`
}

function Field({ setting, values, change, problems }: StepProps & { readonly setting: Setting }): ReactNode {
  const { field, label, description, placeholder, choices, standard } = setting
  const set = (text: string) => change({ [field]: text } as Partial<Record<JobField, never>>)
  const shared = { label, description, placeholder, error: problems[field] }
  if (choices !== undefined) {
    return (
      <Select
        {...shared}
        data={[...choices]}
        value={values[field] === '' ? null : values[field]}
        clearable={standard === undefined}
        clearButtonProps={{ 'aria-label': `Clear ${label}` }}
        onChange={(chosen) => set(chosen ?? standard ?? '')}
        allowDeselect={false}
        comboboxProps={{ withinPortal: false }}
      />
    )
  }
  return (
    <TextInput
      {...shared}
      inputMode="decimal"
      autoComplete="off"
      value={values[field]}
      onChange={({ currentTarget }) => set(currentTarget.value)}
    />
  )
}
