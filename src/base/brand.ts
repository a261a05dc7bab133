declare const brand: unique symbol;

/** A validated value, or an id that must not be confused with another kind of id. */
export type Brand<T, Name extends string> = T & { readonly [brand]: Name };
