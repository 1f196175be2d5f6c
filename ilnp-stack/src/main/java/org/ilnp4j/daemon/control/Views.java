package org.ilnp4j.daemon.control;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Records to and from the maps that JSON objects are read and written as; snake case there. */
public final class Views {
  /** Keys stay when their value is null: a reader need not know which may be absent. */
  private static final JSON WRITER = JSON.std.with(JSON.Feature.WRITE_NULL_PROPERTIES);

  private Views() {}

  /** One line of JSON for a record, or for maps and lists with records in them. */
  public static String write(Object value) {
    try {
      return WRITER.asString(toJson(value));
    } catch (IOException e) {
      throw new IllegalArgumentException("cannot write " + value + " as JSON", e);
    }
  }

  /** Records become maps, lists and maps are walked, all else stays. */
  private static Object toJson(Object value) {
    if (value instanceof Record record) {
      Map<String, Object> map = new LinkedHashMap<>();
      for (RecordComponent c : record.getClass().getRecordComponents()) {
        try {
          map.put(snakeCase(c.getName()), toJson(c.getAccessor().invoke(record)));
        } catch (ReflectiveOperationException e) {
          throw new IllegalStateException("cannot read " + c, e);
        }
      }
      return map;
    }
    if (value instanceof Map<?, ?> object) {
      Map<String, Object> map = new LinkedHashMap<>();
      object.forEach((k, v) -> map.put((String) k, toJson(v)));
      return map;
    }
    if (value instanceof List<?> list) {
      List<Object> out = new ArrayList<>(list.size());
      list.forEach(item -> out.add(toJson(item)));
      return out;
    }
    return value;
  }

  /**
   * The record whose components the map holds. What the map lacks is null, 0 or false; what the
   * record does not know is left out, so that an older command line understands a newer daemon.
   *
   * @throws IllegalArgumentException when a value has another type than the record's component
   */
  static <R extends Record> R fromJson(Map<?, ?> map, Class<R> type) {
    RecordComponent[] components = type.getRecordComponents();
    Class<?>[] types = new Class<?>[components.length];
    Object[] values = new Object[components.length];
    for (int i = 0; i < components.length; i++) {
      types[i] = components[i].getType();
      Object value = map.get(snakeCase(components[i].getName()));
      try {
        values[i] = value(value, components[i].getGenericType());
      } catch (ClassCastException e) {
        throw new IllegalArgumentException(
            "\""
                + snakeCase(components[i].getName())
                + "\" is not of type "
                + types[i].getSimpleName(),
            e);
      }
    }
    try {
      return type.getDeclaredConstructor(types).newInstance(values);
    } catch (ReflectiveOperationException e) {
      throw new IllegalArgumentException("cannot make " + type.getSimpleName(), e);
    }
  }

  private static Object value(Object json, Type type) {
    if (type == int.class) {
      return json == null ? 0 : ((Number) json).intValue();
    } else if (type == long.class) {
      return json == null ? 0L : ((Number) json).longValue();
    } else if (type == double.class) {
      return json == null ? 0.0 : ((Number) json).doubleValue();
    } else if (type == boolean.class) {
      return json != null && (Boolean) json;
    } else if (json == null) {
      return null;
    } else if (type == Double.class) {
      return ((Number) json).doubleValue();
    } else if (type instanceof Class<?> c && c.isRecord()) {
      return fromJson((Map<?, ?>) json, c.asSubclass(Record.class));
    } else if (type instanceof ParameterizedType p && p.getRawType() == List.class) {
      List<Object> out = new ArrayList<>();
      for (Object item : (List<?>) json) {
        out.add(value(item, p.getActualTypeArguments()[0]));
      }
      return out;
    } else if (type instanceof ParameterizedType p && p.getRawType() == Map.class) {
      Map<String, Object> out = new LinkedHashMap<>();
      ((Map<?, ?>) json)
          .forEach((k, v) -> out.put((String) k, value(v, p.getActualTypeArguments()[1])));
      return out;
    } else if (type == Long.class) {
      return ((Number) json).longValue();
    }
    return ((Class<?>) type).cast(json);
  }

  private static String snakeCase(String camelCase) {
    return camelCase.replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
  }
}
