/**
 * Names exactly the code of an installed package, that of its packages included; its build sets this. A checkout, whose
 * code may change at any time, has none, and keeps no compiled code.
 */
export const BUILD: string | undefined = undefined;
