import { Button, NumberInput, Pill, Popover, Select, Stack, TextInput } from '@mantine/core'
import { type ComponentType, type ReactNode, useMemo, useRef, useState } from 'react'
import type { z } from 'zod'
import { useKey } from '../../keys/key-context.ts'
import { Icon } from '../icon.tsx'
import styles from './filter-bar.module.css'
import { type FilterField, filterFieldsOf, isoOfLocal, localOfIso } from './filter-fields.ts'
import { useTypedText } from './use-typed-text.ts'

type Values = Readonly<Record<string, string | undefined>>

/** What the field of a page gets. */
export interface OwnFieldProps {
  readonly name: string
  readonly label: string
  readonly value: string
  readonly onChange: (value: string | null) => void
}

interface FilterBarProps {
  /** The query of the contract: each of its parameters that filters becomes a field. */
  readonly schema: z.ZodObject
  /** The search parameters of the page. */
  readonly values: Values
  /** Called with the parameters that changed; an undefined one is removed. */
  readonly onChange: (changed: Values) => void
  /** Fields of the page's own by parameter, such as one that offers values. */
  readonly fields?: Readonly<Record<string, ComponentType<OwnFieldProps>>>
  /** Values as they are shown, by parameter; by default as they are. */
  readonly textOf?: (name: string, value: string) => string
  readonly children?: ReactNode
}

/** Filters of a list. What is set is in the address of the page, so a link shows the same rows. */
export function FilterBar({ schema, values, onChange, fields: own, textOf, children }: FilterBarProps): ReactNode {
  const fields = useMemo(() => filterFieldsOf(schema), [schema])
  const set = fields.filter(({ name }) => values[name] !== undefined)
  const words = fields.find(({ name }) => name === 'q')
  const search = useRef<HTMLInputElement>(null)
  const [isOpen, setIsOpen] = useState(false)
  useKey('filter', () => (words ? search.current?.focus() : setIsOpen(true)))
  return (
    <search className={styles.bar}>
      {words && (
        <WordsInput ref={search} value={values.q ?? ''} onChange={(q) => onChange({ q: q === '' ? undefined : q })} />
      )}
      <Popover
        opened={isOpen}
        onChange={setIsOpen}
        position="bottom-start"
        shadow="sm"
        trapFocus
        width={280}
        // The fields scroll in the window. Fields that are higher than it would scroll the button out of sight.
        middlewares={{ flip: true, shift: true, size: true }}
        hideDetached={false}
      >
        <Popover.Target>
          <Button variant="default" leftSection={<Icon name="plus" size={14} />} onClick={() => setIsOpen(!isOpen)}>
            Filter
          </Button>
        </Popover.Target>
        <Popover.Dropdown aria-label="Filters" className={styles.fields ?? ''}>
          <Stack gap={10}>
            {fields
              .filter(({ name }) => name !== 'q')
              .map((field) => (
                <FieldInput
                  key={field.name}
                  field={field}
                  value={values[field.name] ?? ''}
                  onChange={onChange}
                  Own={own?.[field.name]}
                />
              ))}
          </Stack>
        </Popover.Dropdown>
      </Popover>
      {set
        .filter(({ name }) => name !== 'q')
        .map(({ name, label }) => (
          <Pill
            key={name}
            size="md"
            withRemoveButton
            onRemove={() => onChange({ [name]: undefined })}
            removeButtonProps={{ 'aria-label': `Remove the filter ${label}`, 'aria-hidden': false, tabIndex: 0 }}
          >
            {label}: {textOf?.(name, values[name] ?? '') ?? values[name]}
          </Pill>
        ))}
      <span className={styles.spring} />
      {children}
    </search>
  )
}

interface WordsInputProps {
  readonly ref: React.Ref<HTMLInputElement>
  readonly value: string
  readonly onChange: (value: string) => void
}

/** Words are sent with Enter or when the field is left, because every search costs a query. */
function WordsInput({ ref, value, onChange }: WordsInputProps): ReactNode {
  const typed = useTypedText(value, onChange)
  return (
    <TextInput
      ref={ref}
      className={styles.words ?? ''}
      aria-label="Words to find"
      placeholder="Words"
      leftSection={<Icon name="search" size={14} />}
      value={typed.text}
      onChange={({ currentTarget }) => typed.setText(currentTarget.value)}
      onBlur={typed.send}
      onKeyDown={({ key }) => key === 'Enter' && typed.send()}
    />
  )
}

interface FieldInputProps {
  readonly field: FilterField
  readonly value: string
  readonly onChange: (changed: Values) => void
  readonly Own: ComponentType<OwnFieldProps> | undefined
}

function FieldInput({ field, value, onChange, Own }: FieldInputProps): ReactNode {
  const { name, label, kind } = field
  const set = (text: string | null) => onChange({ [name]: text === null || text === '' ? undefined : text })
  if (Own) return <Own name={name} label={label} value={value} onChange={set} />
  if (kind === 'choice') {
    return (
      <Select
        label={label}
        data={[...field.choices]}
        value={value === '' ? null : value}
        onChange={set}
        clearable
        comboboxProps={{ withinPortal: false }}
      />
    )
  }
  if (kind === 'number') return <NumberField label={label} value={value} onChange={set} />
  if (kind === 'time') return <TimeField label={label} value={value} onChange={set} />
  return <PlainTextInput label={label} value={value} problemOf={field.problemOf} onChange={set} />
}

type TypedFieldProps = Omit<OwnFieldProps, 'name'>

function NumberField({ label, value, onChange }: TypedFieldProps): ReactNode {
  const typed = useTypedText(value, onChange)
  return (
    <NumberInput
      label={label}
      value={typed.text}
      onChange={(next) => typed.setText(String(next))}
      onBlur={typed.send}
      onKeyDown={({ key }) => key === 'Enter' && typed.send()}
      min={0}
      hideControls
    />
  )
}

/** A year is typed digit by digit, and each of them already makes a time. */
function TimeField({ label, value, onChange }: TypedFieldProps): ReactNode {
  const typed = useTypedText(value === '' ? '' : localOfIso(value), (local) =>
    onChange(local === '' ? null : isoOfLocal(local)),
  )
  return (
    <TextInput
      label={label}
      type="datetime-local"
      value={typed.text}
      onChange={({ currentTarget }) => typed.setText(currentTarget.value)}
      onBlur={typed.send}
      onKeyDown={({ key }) => key === 'Enter' && typed.send()}
    />
  )
}

interface PlainTextInputProps extends TypedFieldProps {
  readonly problemOf: (text: string) => string | null
}

/** A text that the endpoint would refuse is not sent; the field says why. */
function PlainTextInput({ label, value, problemOf, onChange }: PlainTextInputProps): ReactNode {
  const [problem, setProblem] = useState<string | null>(null)
  const typed = useTypedText(value, onChange)
  const send = () => {
    const text = typed.text.trim()
    const found = text === '' ? null : problemOf(text)
    setProblem(found)
    if (found === null) typed.send()
  }
  return (
    <TextInput
      label={label}
      value={typed.text}
      error={problem}
      onChange={({ currentTarget }) => typed.setText(currentTarget.value)}
      onBlur={send}
      onKeyDown={({ key }) => key === 'Enter' && send()}
    />
  )
}
