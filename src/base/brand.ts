declare const brand: unique symbol;

/** A value that was checked, or an id that must not be mixed up with another one. */
export type Brand<T, Name extends string> = T & { readonly [brand]: Name };
