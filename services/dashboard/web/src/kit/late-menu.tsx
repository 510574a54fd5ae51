import { type ComponentType, lazy, type ReactNode, Suspense, useState } from 'react'
import type { MenuButtonProps, MenuPart } from './menu-part.ts'

interface LateMenuProps {
  readonly Button: ComponentType<MenuButtonProps>
  readonly parts: readonly MenuPart[]
  readonly position: 'bottom-start' | 'bottom-end' | 'top-end'
}

const load = () => import('./opened-menu.tsx')
const OpenedMenu = lazy(async () => ({ default: (await load()).OpenedMenu }))

/** A menu behind a button. Its scripts are loaded when somebody goes to the button: most visits open none. */
export function LateMenu({ Button, parts, position }: LateMenuProps): ReactNode {
  const [isUsed, setIsUsed] = useState(false)
  const prepare = () => void load()
  const button = (
    <Button
      aria-haspopup="menu"
      aria-expanded={false}
      onClick={() => setIsUsed(true)}
      onFocus={prepare}
      onPointerEnter={prepare}
    />
  )
  if (!isUsed) return button
  return (
    <Suspense fallback={button}>
      <OpenedMenu Button={Button} parts={parts} position={position} />
    </Suspense>
  )
}
