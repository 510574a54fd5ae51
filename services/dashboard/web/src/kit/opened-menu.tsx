import { Menu } from '@mantine/core'
import { type ComponentType, type ReactNode, useEffect, useRef, useState } from 'react'
import { Icon } from './icon.tsx'
import type { MenuButtonProps, MenuPart } from './menu-part.ts'

interface OpenedMenuProps {
  readonly Button: ComponentType<MenuButtonProps>
  readonly parts: readonly MenuPart[]
  readonly position: 'bottom-start' | 'bottom-end' | 'top-end'
}

/** A menu that opens as soon as it is there. Closed again, it gives the focus back to its button. */
export function OpenedMenu({ Button, parts, position }: OpenedMenuProps): ReactNode {
  const button = useRef<HTMLButtonElement>(null)
  const [isOpen, setIsOpen] = useState(false)
  useEffect(() => {
    button.current?.focus()
    setIsOpen(true)
  }, [])
  return (
    <Menu position={position} opened={isOpen} onChange={setIsOpen}>
      <Menu.Target>
        <Button ref={button} />
      </Menu.Target>
      <Menu.Dropdown>
        {parts.map((part, index) => (
          <Part key={index} part={part} />
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

function Part({ part }: { readonly part: MenuPart }): ReactNode {
  if (part.kind === 'line') return <Menu.Divider />
  if (part.kind === 'heading') return <Menu.Label>{part.label}</Menu.Label>
  const { label, icon, isChosen = false, staysOpen = false, run } = part
  return (
    <Menu.Item
      onClick={run}
      closeMenuOnClick={!staysOpen}
      leftSection={icon === undefined ? null : <Icon name={icon} />}
      rightSection={isChosen ? <Icon name="check" /> : null}
    >
      {label}
    </Menu.Item>
  )
}
